function stopEmbeddedContent(slide) {
  const frames = slide ? slide.querySelectorAll('iframe') : [];
  frames.forEach((frame) => {
    const source = frame.src || '';
    let message = 'slide:stop';
    if (source.includes('youtube')) {
      message = '{"event":"command","func":"pauseVideo","args":""}';
    } else if (source.includes('vimeo.com')) {
      message = '{"method":"pause"}';
    }
    frame.contentWindow.postMessage(message, '*');
  });
}

module.exports = { stopEmbeddedContent };
