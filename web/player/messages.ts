import type { SaveState } from './commits.ts';
import type { UnitStatus } from './units.ts';

/** Every text of the player. Another language is another catalogue of the same shape. */
const tracked = {
  /** What index.html names by `data-text` and `data-label`. */
  labels: {
    skip: 'Go to the course',
    contents: 'Contents',
    closeContents: 'Close contents',
    steps: 'Parts of the course',
    previous: 'Previous',
    next: 'Next',
    exit: 'Exit',
    newWindow: 'New window',
    progress: 'Progress in the course',
    opening: 'Opening the course…',
  },
  saveStates: {
    saved: 'Saved',
    saving: 'Saving…',
    kept: 'Saved on this device – offline',
    unkept: 'Not saved – no connection',
    refused: 'Not saved',
    elsewhere: 'Opened elsewhere',
    ended: 'Session ended',
  } satisfies Record<SaveState, string>,
  unitStates: {
    none: 'Not started',
    incomplete: 'In progress',
    completed: 'Completed',
    passed: 'Passed',
    failed: 'Not passed',
  } satisfies Record<UnitStatus, string>,
  locked: 'Not available yet',
  position: (at: number, count: number) => `${at} of ${count}`,
  finishedUnit: 'You have finished this part.',
  finishedCourse: 'You have finished. You can leave the course now.',
  chooseUnit: {
    title: 'What would you like to do next?',
    text: 'Choose a part from the contents, or leave the course. Everything so far is kept.',
  },
  missing: (title: string) => ({
    title: `“${title}” could not be opened`,
    text: 'Its page is missing from the course or could not be loaded. Try again, or go on with another part.',
  }),
  tryAgain: 'Try again',
  openAnyway: 'Open without it',
  markComplete: 'Mark as complete',
  markedComplete: 'Completed',
  leaving: 'Saving your progress…',
  refused: 'This course cannot be opened',
  unreachable: {
    title: 'There is no connection',
    text: 'The course could not be reached. Check the connection and try again; what you did is kept on this device.',
  },
  broken: {
    title: 'The course could not be started',
    text: 'Something went wrong while the course was being opened. Trying again often helps.',
  },
  back: 'Go back',
  elsewhere: {
    title: 'This course was opened in another window',
    text: 'Continue there, or take over here. What you had done here by then is saved.',
    action: 'Take over here',
  },
  sessionEnded: {
    title: 'This visit has ended',
    text: 'Open the course again to go on where you were.',
    action: 'Open the course again',
  },
  droppedTitle: 'Some earlier progress could not be added',
  dropped: (titles: string[]) =>
    `This device still held progress for ${titles.map((title) => `“${title}”`).join(', ')}, but the course has been continued elsewhere since, and the newer progress counts.`,
  understood: 'Continue',
  end: {
    saved: 'Your progress is saved',
    kept: 'Your progress is kept on this device',
    keptText:
      'There is no connection at the moment. It will be sent when you open a course on this device again.',
    lost: 'Your last steps could not be saved',
    lostText:
      'There is no connection, and this browser does not let the course keep them. Go back and try again.',
    close: 'You may close this window.',
    again: 'Open the course again',
    status: 'Status',
    result: 'Result',
    score: 'Score',
    progress: 'Progress',
    time: 'Time this visit',
  },
  completions: { unknown: 'Started', incomplete: 'In progress', completed: 'Completed' },
  successes: { passed: 'Passed', failed: 'Not passed' },
  percent: (value: number) => `${Math.round(value)} %`,
  duration(seconds: number): string {
    if (seconds < 60) return `${seconds} s`;
    const minutes = Math.round(seconds / 60);
    return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  },
};

/** The words that would not be true in a preview. */
const untracked: Partial<typeof tracked> = {
  saveStates: {
    saved: 'Preview: nothing is recorded',
    saving: 'Preview: nothing is recorded',
    kept: 'Preview: no connection',
    unkept: 'Preview: no connection',
    refused: 'Preview: this would not be saved',
    elsewhere: 'Preview ended',
    ended: 'Preview ended',
  },
  chooseUnit: {
    title: tracked.chooseUnit.title,
    text: 'Choose a part from the contents, or leave the course.',
  },
  leaving: 'Ending the preview…',
  sessionEnded: {
    title: 'This preview has ended',
    text: 'A preview lasts two hours. Start a new one where you started this one.',
    action: 'Continue',
  },
  end: {
    ...tracked.end,
    saved: 'This was a preview',
    kept: 'This was a preview',
    keptText: 'Nothing was recorded. You may close this window.',
    lost: 'This was a preview',
    lostText: 'Nothing was recorded. You may close this window.',
    close: 'Nothing was recorded. A learner would have reached this. You may close this window.',
    again: 'Preview again',
  },
};

export let messages = tracked;

/** From here on the page speaks of a preview. */
export function speakOfPreview(): void {
  messages = { ...tracked, ...untracked };
}
