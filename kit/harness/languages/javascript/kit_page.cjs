// In the box: a page for a function that works on one, and what is told to the frames in it.

const SHARED = ['window', 'document', 'Node', 'Element', 'HTMLElement', 'HTMLIFrameElement'];

/** Makes the page global; the answer is the element that the test is about, and what was told. */
function openPage(html) {
  const { JSDOM } = require('jsdom');
  const { window } = new JSDOM(`<!doctype html><body>${html}</body>`, { url: 'http://localhost/' });
  const told = [];
  for (const name of SHARED) {
    const value = window[name];
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
  const frames = new WeakMap();
  Object.defineProperty(window.HTMLIFrameElement.prototype, 'contentWindow', {
    get() {
      const frame = this;
      const postMessage = (message, origin) => {
        told.push({ iframe_id: frame.id, message });
        process.stderr.write(`postMessage to ${frame.id || 'a frame'}, origin ${origin}\n`);
      };
      if (!frames.has(frame)) frames.set(frame, { postMessage });
      return frames.get(frame);
    },
  });
  const first = window.document.body.firstElementChild;
  const held = first && first.tagName === 'IFRAME' ? window.document.body : first;
  return { element: held, told };
}
