import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

public static void chmod( final File file, final int mode )
    throws ArchiverException
{
    if ( !Os.isFamily( Os.FAMILY_UNIX ) )
    {
        return;
    }
    try
    {
        final Set<PosixFilePermission> granted = EnumSet.noneOf( PosixFilePermission.class );
        int bit = 0400;
        for ( final PosixFilePermission permission : PosixFilePermission.values() )
        {
            if ( ( mode & bit ) != 0 )
            {
                granted.add( permission );
            }
            bit >>= 1;
        }
        Files.setPosixFilePermissions( file.toPath(), granted );
    }
    catch ( IOException e )
    {
        throw new ArchiverException( "Failed setting file attributes", e );
    }
}
