public void addEdge( final Vertex from, final Vertex to )
    throws CycleDetectedException
{
    from.addEdgeTo( to );
    List<String> cycle = CycleDetector.introducesCycle( to );
    if ( cycle != null )
    {
        from.removeEdgeTo( to );
        throw new CycleDetectedException( "Edge between '" + from + "' and '" + to
            + "' introduces to cycle in the graph", cycle );
    }
}
