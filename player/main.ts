import { showBranding } from './branding.ts';
import { elements, writeLabels } from './elements.ts';
import { offerFullScreen } from './full-screen.ts';
import { type Journal, openJournal } from './journal.ts';
import { openCopy } from './journal-copy.ts';
import { language, messages, setLanguage } from './messages.ts';
import { ask, hidePage, showPage } from './pages.ts';
import { play } from './play.ts';
import { openSession, type Replayed, replay } from './session.ts';
import { isStorageDenied, sharedStores } from './storage.ts';
import { beginWithoutRecording } from './unrecorded.ts';
import { reportWithheldFeatures } from './withheld-features.ts';

/** Shows the texts in the course's language or, if that is not supported, the tenant's or the browser's. */
function selectTexts(...preferred: (string | null)[]): void {
  setLanguage([...preferred.filter((tag) => tag !== null), ...navigator.languages]);
  document.documentElement.lang = language;
  writeLabels(messages.labels);
}

const reload = () => ({ text: messages.tryAgain, act: () => location.reload() });

/** Asks before a session is opened here, because the other window opens its own session. */
function offerWindow(): Promise<void> {
  const { title, text, action, stay, openedTitle, openedText } = messages.framed;
  return new Promise((resolve) => {
    const here = { text: stay, act: resolve, primary: false };
    const opened = () => showPage(openedTitle, openedText, [here]);
    showPage(title, text, [{ text: action, act: opened, href: location.href }, here]);
  });
}

async function start(): Promise<void> {
  if (isStorageDenied()) await offerWindow();
  const stores = await sharedStores();
  const journal = openJournal(() => stores.localStorage, await openCopy(stores));
  await journal.load();
  window.addEventListener('storage', ({ key, newValue }) => {
    if (newValue === null) journal.removed(key);
  });
  const replayed = await replay(journal);
  await showRejected(journal, replayed);
  // The course continues from the learner's latest position only after the commits of earlier pages have been sent.
  // The learner can choose not to wait.
  if (replayed.isOffline) {
    const openAnyway = { text: messages.openAnyway, primary: false, act: () => void open(journal, replayed) };
    return showPage(messages.unreachable.title, messages.unreachable.text, [reload(), openAnyway]);
  }
  await open(journal, replayed);
}

/** Deletes the commits only after the learner has been informed. */
function showRejected(journal: Journal, { refused }: Replayed): Promise<void> {
  if (refused.length === 0) return Promise.resolve();
  const text = refused.map(({ entry, code }) => {
    const why = code === 'unknown' ? messages.unknownSession : messages.rejections[code];
    return messages.dropped(entry.CourseTitle, why);
  });
  return new Promise((resolve) => {
    const act = () => {
      for (const { entry } of refused) journal.forget(entry);
      resolve();
    };
    ask(messages.droppedTitle, [...new Set(text)].join(' '), [{ text: messages.understood, act }]);
  });
}

async function open(journal: Journal, { temporarilyRejected }: Replayed): Promise<void> {
  const opening = await openSession(location.pathname.replace(/\/+$/, ''));
  if (opening.kind === 'unreachable') {
    return showPage(messages.unreachable.title, messages.unreachable.text, [reload()]);
  }
  if (opening.kind === 'refused') {
    const { back, page, detail } = opening;
    const goTo = (text: string, address: string, primary = true) => ({
      ...{ text, primary },
      act: () => location.assign(address),
    });
    const actions = [
      ...(page?.Link ? [goTo(page.Link.Text, page.Link.URL)] : []),
      ...(back ? [goTo(messages.back, back, !page?.Link)] : []),
    ];
    return showPage(page?.Title ?? messages.refused, page?.Reason ?? detail, actions);
  }
  hidePage();
  const { Language, Branding } = opening.session;
  selectTexts(Language, Branding?.Language ?? null);
  showBranding(Branding);
  elements.bar.hidden = false;
  const { Mode } = opening.session;
  await play(opening.session, Mode === 'normal' ? journal : beginWithoutRecording(Mode));
  if (temporarilyRejected.length > 0) {
    const titles = [...new Set(temporarilyRejected.map(({ CourseTitle }) => CourseTitle))];
    ask(messages.leftTitle, messages.left(titles), [{ text: messages.understood, act: () => {} }]);
  }
}

selectTexts();
offerFullScreen();
reportWithheldFeatures();
start().catch((error) => {
  console.error(error);
  showPage(messages.broken.title, messages.broken.text, [reload()]);
});
