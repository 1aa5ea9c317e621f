'use strict';

const PLAYERS = new Map([
  ['www.youtube.com', '{"event":"command","func":"pauseVideo","args":""}'],
  ['www.youtube-nocookie.com', '{"event":"command","func":"pauseVideo","args":""}'],
  ['player.vimeo.com', '{"method":"pause"}'],
]);
const STOP = 'slide:stop';

/** The frame's address where it is a web page, or null. */
function address(source) {
  try {
    const url = new URL(source);
    return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
  } catch {
    return null;
  }
}

/** Tells every embedded player of a slide to stop; each message goes to that player's origin. */
function stopEmbeddedContent(slide) {
  if (!slide) return;
  for (const frame of slide.querySelectorAll('iframe')) {
    const source = frame.getAttribute('src') || '';
    if (!frame.contentWindow) continue;
    const url = address(source);
    if (url) {
      frame.contentWindow.postMessage(PLAYERS.get(url.hostname) || STOP, url.origin);
    } else if (source === '') {
      frame.contentWindow.postMessage(STOP, globalThis.window.location.origin);
    }
  }
}

module.exports = { stopEmbeddedContent };
