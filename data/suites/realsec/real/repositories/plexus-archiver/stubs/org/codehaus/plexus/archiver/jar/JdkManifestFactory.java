package org.codehaus.plexus.archiver.jar;

import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.Manifest;

/**
 * Stands for the project's class of this name, whose text does not compile against the packaged plexus-utils
 * (it catches an exception that a method of this older release does not declare).
 */
class JdkManifestFactory
{
    static String getArchiverVersion()
    {
        return null;
    }

    public static void merge( Manifest into, Manifest from, boolean replaceMain )
    {
        if ( from == null )
        {
            return;
        }
        Attributes main = into.getMainAttributes();
        if ( replaceMain )
        {
            main.clear();
        }
        main.putAll( from.getMainAttributes() );
        for ( Map.Entry<String, Attributes> section : from.getEntries().entrySet() )
        {
            into.getEntries().computeIfAbsent( section.getKey(), name -> new Attributes() )
                .putAll( section.getValue() );
        }
    }
}
