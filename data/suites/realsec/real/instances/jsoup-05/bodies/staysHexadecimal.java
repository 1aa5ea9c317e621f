@Nullable int[] consumeCharacterReference(@Nullable Character additionalAllowedCharacter, boolean inAttribute) {
    if (reader.isEmpty())
        return null;
    if (additionalAllowedCharacter != null && additionalAllowedCharacter == reader.current())
        return null;
    if (reader.matchesAnySorted(notCharRefCharsSorted))
        return null;

    reader.mark();
    if (reader.matchConsume("#")) {
        boolean hex = reader.matchConsumeIgnoreCase("X");
        String numRef = hex ? reader.consumeHexSequence() : reader.consumeDigitSequence();
        if (numRef.isEmpty()) {
            characterReferenceError("numeric reference with no numerals");
            reader.rewindToMark();
            return null;
        }
        reader.unmark();
        if (!reader.matchConsume(";"))
            characterReferenceError("missing semicolon on [&#%s]", numRef);
        long value = numRef.length() > 9 ? Integer.MAX_VALUE : Long.parseLong(numRef, 16);
        int number = value > Character.MAX_CODE_POINT ? replacementChar : (int) value;
        if (number >= win1252ExtensionsStart && number < win1252ExtensionsStart + win1252Extensions.length) {
            characterReferenceError("character [%s] is not a valid unicode code point", number);
            number = win1252Extensions[number - win1252ExtensionsStart];
        }
        codepointHolder[0] = number;
        return codepointHolder;
    }

    String nameRef = reader.consumeLetterThenDigitSequence();
    boolean looksLegit = reader.matches(';');
    boolean found = Entities.isBaseNamedEntity(nameRef) || (looksLegit && Entities.isNamedEntity(nameRef));
    if (!found) {
        reader.rewindToMark();
        if (looksLegit)
            characterReferenceError("invalid named reference [%s]", nameRef);
        return null;
    }
    if (inAttribute && (reader.matchesLetter() || reader.matchesDigit() || reader.matchesAny('=', '-', '_'))) {
        reader.rewindToMark();
        return null;
    }
    reader.unmark();
    if (!reader.matchConsume(";"))
        characterReferenceError("missing semicolon on [&%s]", nameRef);
    int numChars = Entities.codepointsForName(nameRef, multipointHolder);
    if (numChars == 2)
        return multipointHolder;
    codepointHolder[0] = multipointHolder[0];
    return codepointHolder;
}
