public void addEdge( final Vertex from, final Vertex to )
    throws CycleDetectedException
{
    boolean accepted = false;
    from.addEdgeTo( to );
    try
    {
        List<String> cycle = CycleDetector.introducesCycle( to );
        if ( cycle != null )
        {
            throw new CycleDetectedException( "Edge between '" + from + "' and '" + to
                + "' introduces to cycle in the graph", cycle );
        }
        accepted = true;
    }
    finally
    {
        if ( !accepted )
        {
            from.getChildren().remove( from.getChildren().lastIndexOf( to ) );
        }
    }
    to.addEdgeFrom( from );
}
