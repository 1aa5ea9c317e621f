protected boolean shouldExtractEntry( File targetDirectory, File targetFileName, String entryName, Date entryDate )
    throws IOException
{
    if ( !targetFileName.exists() )
    {
        return true;
    }
    final String found = targetFileName.getCanonicalPath();
    String relative = found.replace( targetDirectory.getCanonicalPath() + File.separator, "" );
    if ( entryName.endsWith( "/" ) )
    {
        relative += "/";
    }
    if ( !normalizedFileSeparator( entryName ).equals( normalizedFileSeparator( relative ) ) )
    {
        getLogger().warn( "Archive entry '{}' and existing file '{}' names differ only by case."
                              + " This may lead to an unexpected outcome on case-insensitive filesystems.",
                          entryName, found );
        casingMessageEmitted.incrementAndGet();
    }
    return isOverwrite() || targetFileName.lastModified() < entryDate.getTime();
}
