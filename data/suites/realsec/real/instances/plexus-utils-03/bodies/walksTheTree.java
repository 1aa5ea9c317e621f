import java.nio.file.FileVisitResult;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

public static void deleteDirectory( final File directory )
    throws IOException
{
    if ( !Files.exists( directory.toPath(), java.nio.file.LinkOption.NOFOLLOW_LINKS ) )
    {
        return;
    }
    Files.walkFileTree( directory.toPath(), new SimpleFileVisitor<Path>()
    {
        @Override
        public FileVisitResult visitFile( Path file, BasicFileAttributes attributes )
            throws IOException
        {
            Files.delete( file );
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory( Path folder, IOException failure )
            throws IOException
        {
            Files.delete( folder );
            return FileVisitResult.CONTINUE;
        }
    } );
    if ( directory.exists() )
    {
        throw new IOException( "Directory " + directory + " unable to be deleted." );
    }
}
