public void addEdge( final Vertex from, final Vertex to )
    throws CycleDetectedException
{
    from.addEdgeTo( to );
    to.addEdgeFrom( from );
    List<String> cycle = CycleDetector.introducesCycle( to );
    if ( cycle != null )
    {
        removeEdge( to, from );
        throw new CycleDetectedException( "Edge between '" + from + "' and '" + to
            + "' introduces to cycle in the graph", cycle );
    }
}
