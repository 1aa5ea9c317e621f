const YOUTUBE = ['www.youtube.com', 'youtube.com', 'www.youtube-nocookie.com', 'youtube-nocookie.com'];
const VIMEO = ['player.vimeo.com', 'vimeo.com', 'www.vimeo.com'];

function stopSlide(slide) {
  if (!slide) return;
  const frames = slide.querySelectorAll('iframe');
  for (const frame of frames) {
    const src = frame.getAttribute('src') || '';
    if (src === '') {
      frame.contentWindow && frame.contentWindow.postMessage('slide:stop', window.location.origin);
      continue;
    }
    let url;
    try {
      url = new URL(src, window.location.href);
    } catch (e) {
      continue;
    }
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      frame.removeAttribute('src');
      continue;
    }
    if (!frame.contentWindow) continue;
    let message = 'slide:stop';
    if (YOUTUBE.includes(url.hostname)) {
      message = JSON.stringify({ event: 'command', func: 'pauseVideo', args: '' });
    } else if (VIMEO.includes(url.hostname)) {
      message = JSON.stringify({ method: 'pause' });
    }
    frame.contentWindow.postMessage(message, url.origin);
  }
}
