/** Sends requests of pages that are closing, and keeps running until they have been sent. */
addEventListener('connect', (event) => {
  const [page] = event instanceof MessageEvent ? event.ports : [];
  page?.addEventListener('message', ({ data: { path, body } }) => {
    fetch(path, { method: 'POST', body }).catch(() => {});
  });
  page?.start();
  page?.postMessage('ready');
});
