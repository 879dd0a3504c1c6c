import { useEffect, useState } from 'react';

const shownMilliseconds = 4_000;
const confirmed = new EventTarget();

/** Confirms that an action succeeded; failures are shown next to its button instead. */
export function notify(message: string): void {
  confirmed.dispatchEvent(new CustomEvent('message', { detail: message }));
}

/** Shows the latest confirmation for a few seconds. Screen readers announce it, because the region is always present. */
export function Toast() {
  const [message, setMessage] = useState('');
  useEffect(() => {
    let timer = 0;
    const show = (event: Event) => {
      clearTimeout(timer);
      setMessage((event as CustomEvent<string>).detail);
      timer = window.setTimeout(() => setMessage(''), shownMilliseconds);
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
