import type { Reason } from '../../scorm/sequencing/requests.ts';
import type { MoveOn } from '../../standards/cmi5/vocabulary.ts';
import type { UnitStatus } from '../../standards/unit-status.ts';
import type { CommitRejection, SessionEnd } from '../contract.ts';
import type { SaveState } from '../save-state.ts';

type Ends = Record<SessionEnd, { title: string; text: string; action: string | null }>;

/** Every text of the player. */
export const english = {
  /** Used by `data-text` and `data-label` in index.html. */
  labels: {
    skip: 'Go to the course',
    contents: 'Contents',
    closeContents: 'Close contents',
    steps: 'Parts of the course',
    previous: 'Previous',
    next: 'Next',
    exit: 'Exit',
    newWindow: 'New window',
    fullScreen: 'Full screen',
    fitWidth: 'Fit to width',
    progress: 'Progress in the course',
    opening: 'Opening the course…',
    endAttempt: 'Finish attempt',
  },
  saveStates: {
    saved: 'Saved',
    partly: 'Results saved, but your place in the course may be lost',
    saving: 'Saving…',
    onDevice: 'Saved on this device, not sent yet',
    unsaved: 'Not saved: no connection',
    refused: 'Some results were not accepted',
  } satisfies Record<SaveState, string>,
  unitStates: {
    none: 'Not started',
    incomplete: 'In progress',
    completed: 'Completed',
    passed: 'Passed',
    failed: 'Not passed',
  } satisfies Record<UnitStatus, string>,
  locked: 'Not available yet',
  /** Why something cannot be chosen, shown on hover and when it is pressed, and read by screen readers. */
  reasons: {
    prerequisites: 'Complete the earlier parts first.',
    lastActivity: 'This is the last part.',
    firstActivity: 'This is the first part.',
    sessionNotBegun: 'Choose a part from the contents first.',
    sessionAlreadyBegun: 'The course is already open.',
    nothingSuspended: 'There is nothing to resume.',
    nothingOpen: 'No part is open now.',
    stillOpen: 'Another part is still open.',
    unknownActivity: 'This part is not in the course.',
    notSelected: 'This part was not selected for this attempt.',
    choiceOff: 'The parts of this section are opened in order.',
    flowOff: 'Choose the next part from the contents.',
    forwardOnly: 'You cannot go back in this section.',
    choiceExitOff: 'Complete the current part before you choose another one.',
    preventActivation: 'This part can be reached only from its own section.',
    constrainChoice: 'From here, only the neighbouring sections can be opened.',
    hiddenFromChoice: 'This part cannot be chosen at the moment.',
    stopForwardTraversal: 'An earlier part must be completed first.',
    disabled: 'The conditions for this part are not met yet.',
    attemptLimit: 'All permitted attempts have been used.',
    durationLimit: 'The permitted time has been used up.',
    noChildren: 'There is nothing to open in this section.',
    notALeaf: 'There is nothing to open in this section.',
    noParent: 'There are no more parts.',
  } satisfies Record<Reason | 'prerequisites' | 'lastActivity', string>,
  /** Shown if Exit ends the attempt because the course does not allow suspending it. */
  exitEnds: 'Leaving ends this attempt. Next time, the course starts from the beginning.',
  timeUp: {
    title: 'Time is up',
    left: (unit: string) => `The time allowed for “${unit}” has run out. Your results are saved.`,
    leave: 'Leave the course',
    goesOn: (unit: string) => `The time allowed for “${unit}” has run out. You can continue.`,
    goOn: 'Continue',
  },
  endAttempt: {
    title: 'Finish this attempt?',
    text: 'Your results are saved. Next time, the course starts from the beginning. To continue later from where you are now, use Exit instead.',
    confirm: 'Finish attempt',
    cancel: 'Keep going',
  },
  position: (at: number, count: number) => `${at} of ${count}`,
  /** Shown when a part's content has ended. */
  finished: {
    notCompleted: 'You have not completed this part yet.',
    notPassed: 'You have not passed this part.',
    unit: 'You have finished this part.',
    lastUnit: 'You have finished this part. Other parts are not completed yet.',
    course: 'You have finished. You can leave the course now.',
  },
  chooseUnit: {
    title: 'What would you like to do next?',
    text: 'Choose a part from the contents, or leave the course. Your progress so far is saved.',
  },
  missing: (title: string) => ({
    title: `“${title}” could not be opened`,
    text: 'Its page is missing from the course. Continue with another part, and tell your administrator.',
    unreachable: 'It could not be loaded. Check your connection and try again.',
  }),
  tryAgain: 'Try again',
  openAnyway: 'Open anyway',
  confirmation: {
    label: 'Your name',
    action: 'Confirm',
    done: (name: string, time: string) => `Confirmed by ${name} on ${time}`,
  },
  captions: 'Captions',
  pageOf: (page: number, count: number) => `Page ${page} of ${count}`,
  markComplete: 'Mark as complete',
  markedComplete: 'Completed',
  leaving: 'Saving your progress…',
  ownWindow: {
    title: (title: string) => `“${title}” opens in its own window`,
    text: 'Keep this page open. Your progress is shown here when you come back.',
    unseen:
      'If no window has opened, allow pop-up windows for this page and try again. Your progress is shown here.',
    action: 'Open window',
  },
  /** What the learner must do in a part, shown under its title in the contents. */
  moveOns: {
    NotApplicable: 'Optional',
    Passed: 'Must be passed',
    Completed: 'Must be completed',
    CompletedAndPassed: 'Must be completed and passed',
    CompletedOrPassed: 'Must be completed or passed',
  } satisfies Record<MoveOn, string>,
  /** Shown if another site frames the player and the browser does not let such frames store anything. */
  framed: {
    title: 'Open the course in its own window',
    text: 'Your browser does not let the course store anything inside this page. Parts of the course may not work, and without a connection your progress cannot be kept.',
    action: 'Open in its own window',
    stay: 'Continue here',
    openedTitle: 'The course is open in its own window',
    openedText: 'You can close this page when you have finished there.',
  },
  refused: 'This course cannot be opened',
  unreachable: {
    title: 'No connection',
    text: 'The course could not be reached. Check your connection and try again. Your progress is kept on this device.',
  },
  broken: {
    title: 'The course could not be started',
    text: 'Something went wrong while the course was being opened. Try again.',
  },
  back: 'Go back',
  /** Why a session ended while its page was open. */
  ends: {
    session_superseded: {
      title: 'This course was opened in another window',
      text: 'Continue there, or take over here.',
      action: 'Take over here',
    },
    session_ended: {
      title: 'This session has ended',
      text: 'Open the course again to continue where you left off.',
      action: 'Open the course again',
    },
    access_expired: {
      title: 'Your access to this course has expired',
      text: 'Ask your administrator to extend it.',
      action: null,
    },
    enrolment_withdrawn: {
      title: 'Your enrolment was withdrawn',
      text: 'Ask your administrator to enrol you again.',
      action: null,
    },
    user_disabled: {
      title: 'Your account is disabled',
      text: 'Ask your administrator to enable it.',
      action: null,
    },
    tenant_suspended: {
      title: 'Access is currently suspended',
      text: 'Try again later, or ask your administrator.',
      action: null,
    },
  } as Ends,
  /** What happened to the latest progress when the session ended. */
  lastSteps: {
    saved: 'Your progress so far is saved.',
    onDevice:
      'Your progress is kept on this device. It will be sent when you next open a course from the same place in this browser.',
    lost: 'Your latest progress could not be saved.',
    refused: 'Some of your results were not accepted.',
  },
  rejectedTitle: 'Your latest progress could not be added',
  /** Results are deleted from the device for these codes only. The compiler checks the list against the service's. */
  rejections: {
    enrolment_withdrawn: 'Your enrolment was withdrawn. Ask your administrator to enrol you again.',
    user_disabled: 'Your account is disabled. Ask your administrator to enable it.',
    results_too_late: 'The session ended too long ago.',
    session_exited: 'You had already left the course.',
    enrolment_erased: 'Your data was erased.',
    validation_failed: 'The service could not process it.',
  } satisfies Record<CommitRejection, string>,
  unknownSession: 'This progress is more than 30 days old, and the service has no record of the session.',
  droppedTitle: 'Some of your earlier progress could not be added',
  dropped: (title: string, refusal: string) => `“${title}”: ${refusal}`,
  leftTitle: 'Some of your earlier progress could not be sent',
  left: (titles: string[]) =>
    `This device has unsent progress for ${titles.map((title) => `“${title}”`).join(', ')}. It will be sent when you next open a course from the same place in this browser.`,
  understood: 'Continue',
  end: {
    saved: 'Your progress is saved',
    onDevice: 'Your progress is kept on this device',
    onDeviceText:
      'It could not be sent yet. It will be sent when you next open a course from the same place in this browser.',
    lost: 'Your latest progress could not be saved',
    refused: 'Some of your results were not accepted',
    refusedText:
      'The course reported something that could not be recorded. Tell your administrator: they can see the reason.',
    lostText:
      'There is no connection, and this browser does not allow the course to keep your progress. Go back and try again.',
    close: 'You can close this window.',
    again: 'Open the course again',
    status: 'Status',
    result: 'Result',
    score: 'Score',
    progress: 'Progress',
    time: 'Time in this session',
    results: { passed: 'You passed', failed: 'You did not pass', completed: 'You completed the course' },
    mayRepeat: 'Your answers are saved. If you have attempts left, you can open the course again.',
  },
  certificate: {
    title: 'Your certificate is ready.',
    download: 'Download certificate',
    linkedIn: 'Add to LinkedIn',
    check: 'Open check page',
    failed: 'The certificate could not be downloaded. Try again in a moment.',
  },
  completions: { unknown: 'Started', incomplete: 'In progress', completed: 'Completed' },
  successes: { passed: 'Passed', failed: 'Not passed' },
  percent: (value: number) => `${Math.round(value)}%`,
  duration(seconds: number): string {
    if (seconds < 60) return `${seconds} s`;
    const minutes = Math.round(seconds / 60);
    return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
  },
};

export type Messages = typeof english;

/** Texts that differ in a preview, which records nothing. */
export const englishPreview: Partial<Messages> = {
  saveStates: {
    saved: 'Preview: nothing is recorded',
    partly: 'Preview: nothing is recorded',
    saving: 'Preview: nothing is recorded',
    onDevice: 'Preview: no connection',
    unsaved: 'Preview: no connection',
    refused: 'Preview',
  },
  chooseUnit: {
    title: english.chooseUnit.title,
    text: 'Choose a part from the contents, or leave the course.',
  },
  leaving: 'Ending the preview…',
  ends: {
    ...english.ends,
    session_ended: {
      title: 'This preview has ended',
      text: 'A preview lasts two hours. Start a new one from the page where you started this one.',
      action: null,
    },
  },
  lastSteps: {
    saved: 'Nothing was recorded.',
    onDevice: 'Nothing was recorded.',
    lost: 'Nothing was recorded.',
    refused: 'Nothing was recorded.',
  },
  end: {
    ...english.end,
    saved: 'This was a preview',
    onDevice: 'This was a preview',
    onDeviceText: 'Nothing was recorded. You can close this window.',
    lost: 'This was a preview',
    refused: 'This was a preview',
    refusedText: 'Nothing was recorded. You can close this window.',
    lostText: 'Nothing was recorded. You can close this window.',
    close: 'Nothing was recorded. A learner would get this result. You can close this window.',
    again: 'Preview again',
  },
};

/** Texts that differ in a review of an earlier attempt, which records nothing. */
export const englishReview: Partial<Messages> = {
  saveStates: {
    saved: 'Review: your result stays as it is',
    partly: 'Review: your result stays as it is',
    saving: 'Review: your result stays as it is',
    onDevice: 'Review: no connection',
    unsaved: 'Review: no connection',
    refused: 'Review',
  },
  chooseUnit: englishPreview.chooseUnit ?? english.chooseUnit,
  leaving: 'Ending the review…',
  ends: {
    ...english.ends,
    session_ended: {
      title: 'This review has ended',
      text: 'A review lasts two hours. Open the course again from the page where you found it.',
      action: null,
    },
  },
  lastSteps: englishPreview.lastSteps ?? english.lastSteps,
  end: {
    ...english.end,
    saved: 'You have reviewed the course',
    onDevice: 'You have reviewed the course',
    onDeviceText: 'Your result has not changed. You can close this window.',
    lost: 'You have reviewed the course',
    refused: 'You have reviewed the course',
    refusedText: 'Your result has not changed. You can close this window.',
    lostText: 'Your result has not changed. You can close this window.',
    close: 'Your result has not changed. You can close this window.',
    again: 'Review again',
  },
};
