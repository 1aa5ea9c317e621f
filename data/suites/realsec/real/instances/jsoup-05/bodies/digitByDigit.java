@Nullable int[] consumeCharacterReference(@Nullable Character additionalAllowedCharacter, boolean inAttribute) {
    boolean none = reader.isEmpty()
        || additionalAllowedCharacter != null && additionalAllowedCharacter == reader.current()
        || reader.matchesAnySorted(notCharRefCharsSorted);
    if (none)
        return null;
    reader.mark();
    if (!reader.matchConsume("#"))
        return namedReference(inAttribute);

    int base = reader.matchConsumeIgnoreCase("X") ? 16 : 10;
    String digits = base == 16 ? reader.consumeHexSequence() : reader.consumeDigitSequence();
    if (digits.isEmpty()) {
        characterReferenceError("numeric reference with no numerals");
        reader.rewindToMark();
        return null;
    }
    reader.unmark();
    if (!reader.matchConsume(";"))
        characterReferenceError("missing semicolon on [&#%s]", digits);

    int number = 0;
    for (int i = 0; i < digits.length() && number <= Character.MAX_CODE_POINT; i++)
        number = number * base + Character.digit(digits.charAt(i), base);
    int index = number - win1252ExtensionsStart;
    if (number > Character.MAX_CODE_POINT) {
        characterReferenceError("character [%s] does not exist", digits);
        number = replacementChar;
    } else if (index >= 0 && index < win1252Extensions.length) {
        characterReferenceError("character [%s] is not a valid unicode code point", number);
        number = win1252Extensions[index];
    }
    codepointHolder[0] = number;
    return codepointHolder;
}

@Nullable private int[] namedReference(boolean inAttribute) {
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
