/** SN §5.6: the navigation requests. */
export const plainRequests = [
  ...(['start', 'resumeAll', 'continue', 'previous', 'exit', 'exitAll', 'suspendAll'] as const),
  ...(['abandon', 'abandonAll'] as const),
] as const;

export type PlainRequest = (typeof plainRequests)[number];
export type NavigationRequest =
  | { kind: PlainRequest; target?: undefined }
  | { kind: 'choice' | 'jump'; target: string };

/** The requests that the navigation process passes on to the termination and sequencing processes. */
export type TerminationRequest = 'exit' | 'exitAll' | 'exitParent' | 'suspendAll' | 'abandon' | 'abandonAll';
export type SequencingRequest =
  | { kind: 'start' | 'resumeAll' | 'continue' | 'previous' | 'retry' | 'exit' }
  | { kind: 'choice' | 'jump'; target: string };

/**
 * Parses `adl.nav.request`, such as `continue` or `{target=ID}choice`. Returns null for `_none_` and invalid
 * values.
 */
export function parseRequest(text: string | undefined): NavigationRequest | null {
  const [, target, kind] = /^\{target=(.+)\}(choice|jump)$/.exec(text ?? '') ?? [];
  if (target && (kind === 'choice' || kind === 'jump')) return { kind, target };
  const plain = plainRequests.find((name) => name === text);
  return plain && plain !== 'start' && plain !== 'resumeAll' ? { kind: plain } : null;
}

/** The reason why an activity or request is not available, for tooltips and `explain`. */
export type Reason =
  | 'sessionNotBegun'
  | 'sessionAlreadyBegun'
  | 'nothingSuspended'
  | 'nothingOpen'
  | 'stillOpen'
  | 'unknownActivity'
  /** The activity was not selected for this attempt. */
  | 'notSelected'
  | 'choiceOff'
  | 'flowOff'
  | 'forwardOnly'
  | 'choiceExitOff'
  | 'preventActivation'
  | 'constrainChoice'
  | 'hiddenFromChoice'
  | 'stopForwardTraversal'
  | 'disabled'
  | 'attemptLimit'
  | 'durationLimit'
  | 'firstActivity'
  | 'noChildren'
  | 'notALeaf'
  | 'noParent';

/** A refused request: the exception code from the pseudo-code in the SN book, and the reason. */
export type Refusal = {
  code: string;
  reason: Reason;
  /** The activity whose setting or rule caused the refusal. */
  activity: string | null;
  /** The position of the rule in its activity's `Sequencing.Rules`. */
  rule: number | null;
};
