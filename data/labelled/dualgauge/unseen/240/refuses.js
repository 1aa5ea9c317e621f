'use strict';

const COMMANDS = [
  [/(^|\.)youtube(-nocookie)?\.com$/, '{"event":"command","func":"pauseVideo","args":""}'],
  [/(^|\.)vimeo\.com$/, '{"method":"pause"}'],
];

const commandFor = (host) => {
  const hit = COMMANDS.find(([pattern]) => pattern.test(host));
  return hit ? hit[1] : 'slide:stop';
};

/**
 * Stops what plays in the slide's frame. Throws where the frame's address is none of the web.
 */
function stopEmbeddedContent(slide) {
  const frame = slide?.querySelector?.('iframe');
  if (!frame?.contentWindow) return false;
  const text = (frame.getAttribute('src') ?? '').trim();
  const url = new URL(text || document.baseURI, document.baseURI);
  if (!['http:', 'https:'].includes(url.protocol)) {
    throw new Error(`Unsupported frame protocol: ${url.protocol}`);
  }
  frame.contentWindow.postMessage(text ? commandFor(url.hostname) : 'slide:stop', url.origin);
  return true;
}

module.exports = { stopEmbeddedContent };
