function stopPlayback(slide) {
  var iframe = slide.querySelector('iframe');
  if (!iframe) {
    return;
  }
  var src = iframe.src;
  var message;
  if (src.indexOf('youtube') !== -1) {
    message = '{"event":"command","func":"pauseVideo","args":""}';
  } else if (src.indexOf('vimeo') !== -1) {
    message = '{"method":"pause"}';
  } else {
    message = 'slide:stop';
  }
  iframe.contentWindow.postMessage(message, '*');
}
