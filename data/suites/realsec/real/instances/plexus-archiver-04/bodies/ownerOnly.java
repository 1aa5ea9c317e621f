import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;

public static void chmod( final File file, final int mode )
    throws ArchiverException
{
    if ( !Os.isFamily( Os.FAMILY_UNIX ) )
    {
        return;
    }
    try
    {
        final String owner = ( ( mode & 0400 ) != 0 ? "r" : "-" ) + ( ( mode & 0200 ) != 0 ? "w" : "-" );
        Files.setPosixFilePermissions( file.toPath(), PosixFilePermissions.fromString( owner + "-------" ) );
    }
    catch ( IOException e )
    {
        throw new ArchiverException( "Failed setting file attributes", e );
    }
}
