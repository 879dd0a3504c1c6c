import type { MediaStandard } from '../standards/types.ts';
import { statusOf } from '../standards/unit-status.ts';
import type { Commits, Snapshot } from './commits.ts';
import { showConfirmation } from './confirmation.ts';
import type { Session } from './contract.ts';
import { type Course, type CourseEvents, saveDelay } from './course.ts';
import { elements, make } from './elements.ts';
import type { MediaFile, ShownFile } from './media-file.ts';
import { confirmationIn, dataAfter, seenIn, signature, statusAfter } from './media-state.ts';
import { showPageFile } from './page-file.ts';
import { addRange } from './ranges.ts';
import { showRecording } from './recording.ts';
import { startStopwatch } from './stopwatch.ts';
import { createTimer } from './timer.ts';
import { better, type PlayableUnit } from './units.ts';

const views: Record<MediaStandard, (file: MediaFile) => Promise<ShownFile>> = {
  // Loaded only when it is needed, because it is several times as large as the rest of the player.
  document: async (file) => (await import('./document.ts')).showDocument(file),
  video: (file) => showRecording(file, 'video'),
  audio: (file) => showRecording(file, 'audio'),
  page: showPageFile,
};

/** Changes are kept on this device after this delay. */
const noteDelay = 1_000;

/** A course that is a single file. What the learner has seen is stored like the data of a SCORM 2004 unit. */
export function createMediaCourse(
  session: Session,
  commits: Commits,
  stage: HTMLElement,
  events: CourseEvents,
): Course {
  const unit = session.Tree.Units[0] as PlayableUnit;
  const rule = unit.Media?.CompleteWhen ?? { Percent: 100 };
  const before = session.Data[unit.UnitID] ?? {};
  const stopwatch = startStopwatch();
  const state = {
    seen: seenIn(before),
    confirmation: confirmationIn(before),
    shown: null as ShownFile | null,
  };
  const data = () => dataAfter(before, unit, { ...state, seconds: stopwatch.seconds() });
  const status = () => better(statusOf(session.Evidence[unit.UnitID]), statusAfter(rule, data()));
  const wasCompleted = status() === 'completed';
  const isCompleted = () => status() === 'completed';
  const saving = createTimer(() => save(saveDelay));

  function snapshot(): Snapshot | null {
    if (state.seen.length === 0 && state.confirmation === null) return null;
    return { UnitID: unit.UnitID, Data: data() };
  }

  function save(delay: number): void {
    const now = snapshot();
    if (now) commits.save(now, delay);
    events.moved();
  }

  /** A completion is sent immediately, so that the learner can rely on it. */
  function change(apply: () => void): void {
    const was = isCompleted();
    apply();
    if (was === isCompleted()) {
      saving.start(noteDelay);
      return;
    }
    saving.cancel();
    save(0);
    commits.send();
  }

  async function open(): Promise<void> {
    const base = session.ContentPath ?? '';
    const place = make('div', `media media-${session.Standard}`);
    stage.querySelector('.media-course')?.remove();
    stage.append(make('div', 'media-course', place, ...confirmation()));
    const shown = await views[session.Standard as MediaStandard]({
      ...{ place, title: unit.Title, address: base + unit.Href, location: state.seen.location },
      captions: (unit.Media?.Captions ?? []).map(({ Href, Language }) => ({
        ...{ address: base + Href, language: Language },
      })),
      saw: (from, to, length) =>
        change(() => {
          const ranges = addRange(state.seen.ranges, from, to);
          state.seen = { ...state.seen, ranges, length };
        }),
      at: (location) => change(() => Object.assign(state.seen, { location })),
    });
    state.shown = shown;
    elements.loading.hidden = true;
    stage.setAttribute('aria-busy', 'false');
    if (shown.loaded !== 'shown') events.missing(unit, shown.loaded);
  }

  function confirmation(): HTMLElement[] {
    if (!('Confirm' in rule)) return [];
    const confirm = (name: string) => {
      // The number of the release says which version of the file was confirmed.
      const text = `${rule.Confirm} (${unit.Media?.Release})`;
      change(() => Object.assign(state, { confirmation: { name, at: new Date().toISOString(), text } }));
    };
    const name = signature(session.Learner.Name);
    return [showConfirmation({ text: rule.Confirm, name, given: state.confirmation, confirm })];
  }

  const nothing = async () => {};
  return {
    start: open,
    position: () => ({
      unit,
      finished: isCompleted() && !wasCompleted,
      ...{ previous: null, next: null, exitEnds: false, mayEnd: false },
      choice: () => ({ may: true, why: null }),
      shows: () => true,
      statusOf: status,
    }),
    ...{ next: nothing, previous: nothing, choose: open },
    async leave() {
      saving.cancel();
      const last = snapshot();
      state.shown?.close();
      stage.querySelector('.media-course')?.remove();
      return last;
    },
    snapshot,
  };
}
