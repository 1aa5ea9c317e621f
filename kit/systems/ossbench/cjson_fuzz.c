/* What a program does with cJSON, on the bytes of a fuzzer.
   The first byte chooses the deed; then come two texts, a zero between them. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cJSON.h"
#include "cJSON_Utils.h"

#define DEEDS 12
#define MOST_ITEMS 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(cJSON *item) {
    char small[64];
    cJSON_free(cJSON_Print(item));
    cJSON_free(cJSON_PrintUnformatted(item));
    cJSON_free(cJSON_PrintBuffered(item, 1, 1));
    cJSON_free(cJSON_PrintBuffered(item, 300, 0));
    if (cJSON_PrintPreallocated(item, small, (int)sizeof small - 5, 1)) (void)strlen(small);
}

/* Text, printed text and its second reading. */
static void read_back(cJSON *a) {
    char *text = cJSON_PrintUnformatted(a);
    cJSON *again = text ? cJSON_ParseWithLength(text, strlen(text)) : NULL;
    cJSON_Compare(a, again, 1);
    cJSON_Delete(again);
    cJSON_free(text);
}

static void minify(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    if (!copy) return;
    strcpy(copy, text);
    cJSON_Minify(copy);
    cJSON_Delete(cJSON_ParseWithOpts(copy, NULL, 1));
    free(copy);
}

static void compare(const cJSON *a, const cJSON *b) {
    cJSON *copy = cJSON_Duplicate(a, 1), *flat = cJSON_Duplicate(a, 0);
    cJSON_Compare(a, copy, 1);
    cJSON_Compare(a, b, 0);
    cJSON_Compare(flat, b, 1);
    cJSON_Delete(copy);
    cJSON_Delete(flat);
}

static void look(cJSON *a, const cJSON *b) {
    const cJSON *item;
    const char *name = cJSON_IsString(b) ? cJSON_GetStringValue(b) : "name";
    cJSON_GetObjectItem(a, name);
    cJSON_GetObjectItemCaseSensitive(a, name);
    cJSON_HasObjectItem(a, name);
    cJSON_GetArrayItem(a, cJSON_GetArraySize(a) - 1);
    cJSON_ArrayForEach(item, a) {
        cJSON_IsInvalid(item), cJSON_IsFalse(item), cJSON_IsTrue(item), cJSON_IsBool(item);
        cJSON_IsNull(item), cJSON_IsNumber(item), cJSON_IsArray(item), cJSON_IsObject(item);
        cJSON_IsRaw(item), cJSON_GetNumberValue(item), cJSON_GetStringValue(item);
    }
}

/* Lists: put in, replaced, taken out. */
static void change_list(cJSON *a, const cJSON *b) {
    int last = cJSON_GetArraySize(a) - 1, at = cJSON_IsNumber(b) ? b->valueint : last / 2;
    cJSON *fresh = cJSON_Duplicate(b, 1);
    if (!cJSON_InsertItemInArray(a, at, fresh)) cJSON_Delete(fresh);
    fresh = cJSON_CreateBool(last > 3);
    if (!cJSON_ReplaceItemInArray(a, at, fresh)) cJSON_Delete(fresh);
    cJSON_AddItemReferenceToArray(a, (cJSON *)(uintptr_t)b);
    cJSON_Delete(cJSON_DetachItemFromArray(a, at));
    cJSON_DeleteItemFromArray(a, 0);
    cJSON_Delete(cJSON_DetachItemFromArray(a, last));
}

/* Objects: put in, replaced, taken out. */
static void change_object(cJSON *a, const cJSON *b) {
    const char *name = a->child && a->child->string ? a->child->string : "name";
    char *kept = malloc(strlen(name) + 1);
    cJSON *fresh = cJSON_CreateRaw("[1]");
    if (!kept) { cJSON_Delete(fresh); return; }
    strcpy(kept, name); /* the name dies with its item */
    if (!cJSON_ReplaceItemInObject(a, kept, fresh)) cJSON_Delete(fresh);
    fresh = cJSON_CreateNull();
    if (!cJSON_ReplaceItemInObjectCaseSensitive(a, kept, fresh)) cJSON_Delete(fresh);
    cJSON_AddItemReferenceToObject(a, "reference", (cJSON *)(uintptr_t)b);
    cJSON_AddNullToObject(a, kept), cJSON_AddTrueToObject(a, "t"), cJSON_AddFalseToObject(a, "f");
    cJSON_AddBoolToObject(a, "b", 1), cJSON_AddNumberToObject(a, "n", 1e300);
    cJSON_AddStringToObject(a, "s", kept), cJSON_AddRawToObject(a, "r", "{}");
    cJSON_AddArrayToObject(a, "a"), cJSON_AddObjectToObject(a, "o");
    cJSON_Delete(cJSON_DetachItemFromObject(a, kept));
    cJSON_Delete(cJSON_DetachItemFromObjectCaseSensitive(a, kept));
    cJSON_DeleteItemFromObject(a, "T");
    cJSON_DeleteItemFromObjectCaseSensitive(a, "f");
    free(kept);
    print(a);
}

static void build(const char *text) {
    int numbers[MOST_ITEMS], count = (int)(strlen(text) % MOST_ITEMS), n;
    float floats[MOST_ITEMS];
    double doubles[MOST_ITEMS];
    const char *strings[MOST_ITEMS];
    cJSON *made[6], *word = cJSON_CreateString(text);
    for (n = 0; n < count; n++) {
        numbers[n] = text[n] * n;
        floats[n] = (float)text[n] / 3;
        doubles[n] = text[n] * 1e200;
        strings[n] = text + n;
    }
    made[0] = cJSON_CreateIntArray(numbers, count);
    made[1] = cJSON_CreateFloatArray(floats, count);
    made[2] = cJSON_CreateDoubleArray(doubles, count);
    made[3] = cJSON_CreateStringArray(strings, count);
    made[4] = cJSON_CreateStringReference(text);
    made[5] = cJSON_CreateArrayReference(made[3] ? made[3]->child : NULL);
    cJSON_SetValuestring(word, text + count);
    print(word);
    for (n = 5; n >= 0; n--) {
        cJSON_Delete(cJSON_Duplicate(made[n], 1));
        cJSON_Delete(made[n]);
    }
    cJSON_Delete(word);
}

static void point(cJSON *a, const char *text) {
    const cJSON *item;
    cJSONUtils_GetPointer(a, text);
    cJSONUtils_GetPointerCaseSensitive(a, text);
    cJSON_ArrayForEach(item, a) {
        char *path = cJSONUtils_FindPointerFromObjectTo(a, item);
        if (path) cJSONUtils_GetPointerCaseSensitive(a, path);
        cJSON_free(path);
    }
}

static void patch(cJSON *a, cJSON *b) {
    cJSON *copy = cJSON_Duplicate(a, 1);
    cJSON *made = cJSONUtils_GeneratePatches(a, b), *exact;
    cJSONUtils_ApplyPatches(copy, made);
    exact = cJSONUtils_GeneratePatchesCaseSensitive(a, b);
    cJSONUtils_ApplyPatchesCaseSensitive(a, exact);
    cJSON_Delete(made);
    cJSON_Delete(exact);
    cJSON_Delete(copy);
}

/* The target may be another item afterwards. */
static cJSON *merge(cJSON *a, cJSON *b) {
    cJSON *made = cJSONUtils_GenerateMergePatchCaseSensitive(a, b);
    cJSON *other = cJSONUtils_GenerateMergePatch(a, b);
    a = cJSONUtils_MergePatch(a, other);
    if (a) a = cJSONUtils_MergePatchCaseSensitive(a, made);
    cJSON_Delete(made);
    cJSON_Delete(other);
    return a;
}

static cJSON *deed(unsigned which, cJSON *a, cJSON *b, const char *first, const char *second) {
    switch (which) {
    case 0: print(a); break;
    case 1: read_back(a); break;
    case 2: minify(first); break;
    case 3: compare(a, b); break;
    case 4: look(a, b); break;
    case 5: if (cJSON_IsArray(a) && b) change_list(a, b); break;
    case 6: if (cJSON_IsObject(a) && b) change_object(a, b); break;
    case 7: build(first); break;
    case 8: point(a, second); break;
    case 9: if (a && b) patch(a, b); break;
    case 10: if (a && b) a = merge(a, b); break;
    default:
        if (a && b) cJSONUtils_ApplyPatches(a, b);
        cJSONUtils_SortObject(a), cJSONUtils_SortObjectCaseSensitive(b);
    }
    return a;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *first, *second;
    size_t cut, rest;
    cJSON *a, *b;
    if (size < 2 || !(first = malloc(size))) return 0;
    memcpy(first, data + 1, size - 1);
    first[size - 1] = '\0';
    cut = strlen(first);
    rest = cut + 1 < size ? size - cut - 1 : 1; /* with its zero */
    second = malloc(rest); /* texts of their own, so that both ends are watched */
    if (!second) { free(first); return 0; }
    memcpy(second, first + size - rest, rest);
    first = realloc(first, cut + 1);
    a = data[0] & 128 ? cJSON_ParseWithOpts(first, NULL, 1) : cJSON_ParseWithLength(first, cut);
    b = cJSON_Parse(second);
    a = deed(data[0] % 128 % DEEDS, a, b, first, second);
    cJSON_Delete(a);
    cJSON_Delete(b);
    free(first);
    free(second);
    return 0;
}
