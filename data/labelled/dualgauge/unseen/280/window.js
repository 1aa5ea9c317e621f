class ValueError extends Error {
  constructor(message) {
    super(message);
    this.name = 'ValueError';
  }
}

const isBound = (v) => v === null || v === undefined || Number.isInteger(v);

function dimensions(array) {
  const sizes = [];
  for (let part = array; Array.isArray(part); part = part[0]) sizes.push(part.length);
  return sizes;
}

function crop_array(array, intervals) {
  if (array === null || array === undefined) throw new TypeError('array is missing');
  if (!Array.isArray(intervals)) throw new TypeError('intervals is no list');
  const sizes = dimensions(array);
  if (sizes.length !== intervals.length) throw new ValueError('intervals and dimensions differ');

  const bounds = intervals.map((pair, axis) => {
    if (!Array.isArray(pair) || !pair.every(isBound)) throw new TypeError('bounds are integers or null');
    const size = sizes[axis];
    const at = (v, other) => (v ?? null) === null ? other : Math.min(Math.max(v < 0 ? v + size : v, 0), size);
    const [begin, end] = [at(pair[0], 0), at(pair[1], size)];
    if (begin >= end) throw new ValueError('begin is not below end');
    return [begin, end];
  });

  const cut = (part, axis) =>
    axis === bounds.length ? part : part.slice(...bounds[axis]).map((p) => cut(p, axis + 1));
  return cut(array, 0);
}

module.exports = { crop_array };
