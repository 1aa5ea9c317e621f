// Of a page that is opened from a folder a browser loads scripts, and fetches nothing: there the
// search of MkDocs works in the page itself, and its index is a script, too.
if (location.protocol === "file:") {
  window.Worker = undefined;
  const load = ([name, ...others], then) => {
    const script = document.createElement("script");
    script.src = `${base_url}/search/${name}`;
    script.onload = () => (others.length ? load(others, then) : then());
    document.head.append(script);
  };
  $.getScript = () => ({
    done(ready) {
      if (document.getElementById("mkdocs-search-results"))
        load(["worker.js", "lunr.js", "search_index.js"], () => {
          window.init = () => setTimeout(onScriptsLoaded);
          ready();
        });
      return { fail() {} };
    },
  });
}
