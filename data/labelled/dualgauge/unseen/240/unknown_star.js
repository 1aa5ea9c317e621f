class SlideMedia {
  static ORIGINS = {
    youtube: /^https:\/\/(www\.)?youtube(-nocookie)?\.com$/,
    vimeo: /^https:\/\/(player\.|www\.)?vimeo\.com$/,
  };

  static parse(iframe) {
    const raw = iframe.getAttribute('src');
    if (!raw) return { kind: 'generic', origin: '*' };
    const url = new URL(raw, document.location.href);
    if (!/^https?:$/.test(url.protocol)) return { kind: 'forbidden' };
    for (const [kind, pattern] of Object.entries(SlideMedia.ORIGINS)) {
      if (pattern.test(url.origin)) return { kind, origin: url.origin };
    }
    // an unknown page may redirect, so its origin is not known
    return { kind: 'generic', origin: '*' };
  }
}

function stopSlidePlayback(slide) {
  const iframe = slide ? slide.querySelector('iframe') : null;
  if (!iframe) return;
  const { kind, origin } = SlideMedia.parse(iframe);
  const target = iframe.contentWindow;
  switch (kind) {
    case 'youtube':
      target.postMessage(JSON.stringify({ event: 'command', func: 'pauseVideo', args: '' }), origin);
      break;
    case 'vimeo':
      target.postMessage(JSON.stringify({ method: 'pause' }), origin);
      break;
    case 'generic':
      target.postMessage('slide:stop', origin);
      break;
    default:
      iframe.remove();
  }
}
