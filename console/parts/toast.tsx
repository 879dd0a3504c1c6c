import { useEffect, useState } from 'react';

const shownMilliseconds = 4_000;
const confirmed = new EventTarget();
/** Kept while it is shown, because learners go on to a page with scripts of its own. */
const storageKey = 'lectern-confirmation';

/** Confirms that an action succeeded; failures are shown next to its button instead. */
export function notify(message: string): void {
  sessionStorage.setItem(storageKey, message);
  confirmed.dispatchEvent(new CustomEvent('message', { detail: message }));
}

/** Shows a confirmation of the page before again. */
export function notifyAgain(): void {
  const message = sessionStorage.getItem(storageKey);
  if (message) notify(message);
}

/** Shows the latest confirmation for a few seconds. Screen readers announce it, because the region is always present. */
export function Toast() {
  const [message, setMessage] = useState('');
  useEffect(() => {
    let timer = 0;
    const show = (event: Event) => {
      clearTimeout(timer);
      setMessage((event as CustomEvent<string>).detail);
      timer = window.setTimeout(() => {
        sessionStorage.removeItem(storageKey);
        setMessage('');
      }, shownMilliseconds);
    };
    confirmed.addEventListener('message', show);
    return () => {
      clearTimeout(timer);
      confirmed.removeEventListener('message', show);
    };
  }, []);
  return (
    <div className="toast" role="status">
      {message}
    </div>
  );
}
