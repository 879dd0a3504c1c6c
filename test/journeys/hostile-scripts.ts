/** Stores its own address, and therefore its session, in every browser storage, and sends it to any page that asks. */
export const victimScript = `
parent.API.LMSInitialize('');
const secret = location.pathname;
localStorage.setItem('secret', secret);
sessionStorage.setItem('secret', secret);
document.cookie = 'secret=' + encodeURIComponent(secret) + '; path=/';
const channel = new BroadcastChannel('courses');
channel.onmessage = () => channel.postMessage(secret);
const database = new Promise((resolve) => { indexedDB.open(secret).onsuccess = resolve; });
const cached = caches.open('secrets').then((cache) => cache.put(secret, new Response('')));
Promise.all([database, cached]).then(() => { document.body.insertAdjacentHTML('beforeend', '<p id="kept">Kept</p>'); });`;

/** Returns everything that a course's code can read from another course whose URL it knows, by technique. */
export async function attack({ file, domain }: { file: string; domain: string }) {
  const attempt = async (act: () => unknown): Promise<string> => {
    try {
      return String((await act()) ?? '');
    } catch (error) {
      return error instanceof Error ? error.name : 'refused';
    }
  };
  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const stored = (storage: Storage) => JSON.stringify({ ...storage });

  const announce = async () => {
    const heard: string[] = [];
    const channel = new BroadcastChannel('courses');
    channel.onmessage = ({ data }) => heard.push(data);
    channel.postMessage('Who is there?');
    await pause(500);
    channel.close();
    return heard.join();
  };
  /** Returns what can be read from the page once it has loaded. Reading a page from another origin throws. */
  const look = async (other: Window | null) => {
    for (let tries = 0; tries < 50; tries++) {
      await pause(50);
      const { href } = other?.document.location ?? {};
      if (href === file && other?.document.readyState === 'complete')
        return other.location.href + stored(other.localStorage) + other.document.cookie;
    }
    return '';
  };
  const inWindow = async () => {
    const other = window.open(file);
    try {
      // A page on the same site sets its document.domain, if the browser allows it.
      await pause(500);
      return await look(other);
    } finally {
      other?.close();
    }
  };
  const inFrame = async () => {
    const frame = document.createElement('iframe');
    frame.src = file;
    document.body.append(frame);
    await new Promise((resolve) => {
      frame.onload = resolve;
    });
    return look(frame.contentWindow);
  };
  const relax = () => {
    document.domain = domain;
    return inFrame();
  };
  const wideWorker = async () => {
    const worker = await navigator.serviceWorker.register('sw.js', { scope: '/' });
    return worker.scope;
  };
  /** Reports a pass for each course whose session can be found. */
  const report = async () => {
    const answers: string[] = [];
    for (const key of Object.keys(localStorage).filter((key) => key.startsWith('lectern.journal/'))) {
      const { Session, Commit } = JSON.parse(localStorage.getItem(key) ?? '');
      const data = { 'cmi.core.lesson_status': 'passed', 'cmi.core.score.raw': '100' };
      const { status } = await fetch(`/play/${Session}/commit`, {
        method: 'POST',
        body: JSON.stringify({ Number: Commit.Number + 1, UnitID: Commit.UnitID, Data: data }),
      });
      answers.push(`${status} for ${Session}`);
    }
    return answers.join();
  };
  return {
    localStorage: await attempt(() => stored(localStorage)),
    indexedDB: await attempt(async () => JSON.stringify(await indexedDB.databases())),
    caches: await attempt(async () => {
      const cache = await caches.open('secrets');
      return (await cache.keys()).map(({ url }) => url).join();
    }),
    cookies: await attempt(() => decodeURIComponent(document.cookie)),
    broadcast: await attempt(announce),
    window: await attempt(inWindow),
    frame: await attempt(inFrame),
    domain: await attempt(relax),
    fetched: await attempt(async () => (await fetch(file)).text()),
    worker: await attempt(wideWorker),
    reported: await attempt(report),
    atOwnHost: await attempt(async () => (await fetch(new URL(file).pathname)).status),
  };
}
