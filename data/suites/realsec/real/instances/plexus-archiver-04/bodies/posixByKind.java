import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
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
        if ( ( mode & 0444 ) != 0 )
        {
            granted.addAll( PosixFilePermissions.fromString( "r--r--r--" ) );
        }
        if ( ( mode & 0222 ) != 0 )
        {
            granted.add( PosixFilePermission.OWNER_WRITE );
        }
        if ( ( mode & 0111 ) != 0 )
        {
            granted.addAll( PosixFilePermissions.fromString( "--x--x--x" ) );
        }
        Files.setPosixFilePermissions( file.toPath(), granted );
    }
    catch ( IOException e )
    {
        throw new ArchiverException( "Failed setting file attributes", e );
    }
}
