import { elements, writeLabels } from './elements.ts';
import { type Journal, type JournalEntry, openJournal } from './journal.ts';
import { messages } from './messages.ts';
import { ask, hidePage, showPage } from './pages.ts';
import { play } from './play.ts';
import { beginPreview } from './preview.ts';
import { openSession, replay } from './session.ts';

const reload = { text: messages.tryAgain, act: () => location.reload() };

async function start(): Promise<void> {
  const journal = openJournal();
  const { dropped, left } = await replay(journal);
  // A new session makes the commits of an old one stale, so they go first, unless the learner will not wait.
  if (left) {
    const goOn = { text: messages.openAnyway, primary: false, act: () => void open(journal, dropped) };
    return showPage(messages.unreachable.title, messages.unreachable.text, [reload, goOn]);
  }
  await open(journal, dropped);
}

async function open(journal: Journal, dropped: JournalEntry[]): Promise<void> {
  const opening = await openSession(location.pathname.replace(/\/+$/, ''));
  if (opening.kind === 'unreachable') {
    return showPage(messages.unreachable.title, messages.unreachable.text, [reload]);
  }
  if (opening.kind === 'refused') {
    const { back } = opening;
    const actions = back ? [{ text: messages.back, act: () => location.assign(back) }] : [];
    return showPage(messages.refused, opening.detail, actions);
  }
  hidePage();
  elements.bar.hidden = false;
  await play(opening.session, opening.session.Preview ? beginPreview() : journal);
  if (dropped.length > 0) {
    const titles = [...new Set(dropped.map(({ CourseTitle }) => CourseTitle))];
    ask(messages.droppedTitle, messages.dropped(titles), [{ text: messages.understood, act: () => {} }]);
  }
}

writeLabels(messages.labels);
start().catch((error) => {
  console.error(error);
  showPage(messages.broken.title, messages.broken.text, [reload]);
});
