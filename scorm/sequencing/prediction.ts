import { choiceRequest, firstStop, type Stop } from './choice.ts';
import type { Activity } from './course.ts';
import { deliveryRequest } from './delivery.ts';
import { type Draft, fork, trackOf } from './draft.ts';
import { navigationRequest } from './navigation.ts';
import type { SequencingOutcome } from './outcomes.ts';
import { sequenceToDelivery } from './overall.ts';
import { type PlainRequest, plainRequests, type Refusal } from './requests.ts';
import { sequencingRulesCheck } from './rules.ts';
import { sequencingRequest } from './sequencing-requests.ts';
import { terminationRequest } from './termination.ts';
import { isAvailable } from './tree.ts';

/**
 * Whether a request would be granted now and, if not, why not. A request that is allowed but has a refusal
 * opens no unit. It leads to a group without flow, in which the learner chooses a unit.
 */
export type Permission = { allowed: boolean; refusal: Refusal | null };

export type ContentsEntry = Permission & {
  id: string;
  title: string;
  depth: number;
  /**
   * Whether the contents list shows the activity: `isvisible`, selected for this attempt, and not hidden from choice.
   */
  visible: boolean;
  current: boolean;
  /** Whether `{target=…}jump` would be granted. */
  jump: boolean;
};

export type Prediction = {
  requests: Record<PlainRequest, Permission>;
  /** The values of `adlnav:hideLMSUI` for the current activity (CAM §5.2). */
  hidden: readonly string[];
  contents: ContentsEntry[];
};

const allowed: Permission = { allowed: true, refusal: null };

function permission(outcome: SequencingOutcome): Permission {
  if (outcome.kind === 'refused') return { allowed: false, refusal: outcome.refusal };
  return outcome.kind === 'nothing' ? { allowed: false, refusal: null } : allowed;
}

/** Predicts the result of each request by trying it on a copy of the draft. */
export function predict(draft: Draft): Prediction {
  const { current, course } = draft;
  const after = afterExit(draft);
  const requests = Object.fromEntries(
    plainRequests.map((kind) => [kind, predictRequest(draft, after, kind)]),
  ) as Record<PlainRequest, Permission>;
  const isHidden = new Set<Activity>();
  const contents = course.activities.map((activity): ContentsEntry => {
    const isOut = !isAvailable(draft, activity) || (activity.parent && isHidden.has(activity.parent));
    if (isOut || sequencingRulesCheck(after.draft, activity, 'hiddenFromChoice')) isHidden.add(activity);
    return {
      ...{ id: activity.id, title: activity.title, depth: activity.depth },
      visible: (activity.unit?.Visible ?? true) && !isHidden.has(activity),
      current: activity === current,
      jump: predictJump(draft, after, activity),
      ...predictChoice(draft, after, activity),
    };
  });
  return { requests, hidden: current?.unit?.HideLMSUI ?? [], contents };
}

function predictRequest(draft: Draft, after: AfterExit, kind: PlainRequest): Permission {
  if (kind === 'start' || kind === 'resumeAll') return permission(sequenceToDelivery(fork(draft), { kind }));
  const navigation = navigationRequest(draft, { kind });
  if (navigation.kind === 'refused') return permission(navigation);
  if (kind !== 'continue' && kind !== 'previous') return allowed;
  const outcome = deliverable(after, after.instead ?? sequencingRequest(after.draft, { kind }));
  // The next activity is a group without flow. The request is allowed, and the learner then chooses a unit
  // from the contents list.
  const leadsToChoice =
    kind === 'continue' && outcome.kind === 'refused' && outcome.refusal.code === 'SB.2.2-1';
  return leadsToChoice ? { allowed: true, refusal: outcome.refusal } : permission(outcome);
}

function deliverable({ draft }: AfterExit, outcome: SequencingOutcome): SequencingOutcome {
  return outcome.kind === 'deliver' ? (deliveryRequest(draft, outcome.activity) ?? outcome) : outcome;
}

/** The state after the end of the current attempt. All predicted choices start from it. */
type AfterExit = {
  draft: Draft;
  /**
   * The result that a post-condition rule or a refusal imposes on every choice. Null if the result depends on
   * the choice.
   */
  instead: SequencingOutcome | null;
  stop: () => Stop | null;
};

function afterExit(draft: Draft): AfterExit {
  const trial = fork(draft);
  let found: { stop: Stop | null } | null = null;
  const stop = () => {
    found ??= { stop: firstStop(trial) };
    return found.stop;
  };
  if (!draft.current || !trackOf(draft, draft.current).active) return { draft: trial, instead: null, stop };
  const terminated = terminationRequest(trial, 'exit');
  if (terminated.kind === 'refused') return { draft: trial, instead: terminated, stop };
  const { sequencing } = terminated;
  return { draft: trial, instead: sequencing && sequencingRequest(trial, sequencing), stop };
}

function predictChoice(draft: Draft, after: AfterExit, activity: Activity): Permission {
  const navigation = navigationRequest(draft, { kind: 'choice', target: activity.id });
  if (navigation.kind === 'refused') return permission(navigation);
  return permission(deliverable(after, after.instead ?? choiceRequest(after.draft, activity, after.stop)));
}

function predictJump(draft: Draft, after: AfterExit, activity: Activity): boolean {
  const navigation = navigationRequest(draft, { kind: 'jump', target: activity.id });
  if (navigation.kind === 'refused') return false;
  return permission(deliverable(after, after.instead ?? { kind: 'deliver', activity })).allowed;
}
