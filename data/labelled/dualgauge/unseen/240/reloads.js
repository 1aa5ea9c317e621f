function stopEmbeds(slide) {
  const iframes = slide ? Array.from(slide.getElementsByTagName('iframe')) : [];
  iframes.forEach((iframe) => {
    const src = iframe.getAttribute('src');
    let host = '';
    try {
      host = new URL(src).host;
    } catch (_) {
      // relative or empty
    }
    const win = iframe.contentWindow;
    if (/youtube/.test(host)) {
      win.postMessage('{"event":"command","func":"pauseVideo","args":""}', `https://${host}`);
    } else if (/vimeo/.test(host)) {
      win.postMessage('{"method":"pause"}', `https://${host}`);
    } else {
      // stop a generic frame by loading it anew
      iframe.setAttribute('src', 'about:blank');
      iframe.setAttribute('src', src);
    }
  });
}
