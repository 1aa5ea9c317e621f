public int count(Wanted wanted) throws SQLException {
    return all()
}
