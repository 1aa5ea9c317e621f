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
        final boolean isRun = file.isDirectory() || ( mode & 0111 ) != 0;
        Files.setPosixFilePermissions( file.toPath(),
                                       PosixFilePermissions.fromString( isRun ? "rwxr-xr-x" : "rw-r--r--" ) );
    }
    catch ( IOException e )
    {
        throw new ArchiverException( "Failed setting file attributes", e );
    }
}
