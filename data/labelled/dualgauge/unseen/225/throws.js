'use strict';

/** The index if it lies in [0, length), else "invalid index"; throws for what is no integer. */
function getIndex(index, length) {
  for (const [name, value] of Object.entries({ index, length })) {
    if (!Number.isSafeInteger(value)) {
      throw new TypeError(`${name} must be an integer`);
    }
  }
  const inside = index >= 0 && index < length;
  return inside ? index : 'invalid index';
}

module.exports = getIndex;
