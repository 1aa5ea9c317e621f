const getOrigin = (src) => {
  const match = /^(https?:\/\/[^/?#]+)/i.exec(src);
  return match ? match[1] : window.location.origin;
};

function stopSlideMedia(slideElement) {
  if (!slideElement) return null;

  const iframe = slideElement.querySelector('iframe');
  if (!iframe || !iframe.contentWindow) return null;

  const src = iframe.getAttribute('src') || '';
  // never talk to script URLs
  if (/^\s*javascript:/i.test(src)) {
    iframe.setAttribute('src', 'about:blank');
    return null;
  }

  let command;
  if (/youtube(-nocookie)?\.com/.test(src)) {
    command = JSON.stringify({ event: 'command', func: 'pauseVideo', args: '' });
  } else if (/vimeo\.com/.test(src)) {
    command = JSON.stringify({ method: 'pause' });
  } else {
    command = 'slide:stop';
  }
  iframe.contentWindow.postMessage(command, getOrigin(src));
  return command;
}
