import type { Activity } from './course.ts';
import { type Draft, trackOf } from './draft.ts';
import { type Refused, refuse } from './outcomes.ts';
import type { NavigationRequest, SequencingRequest, TerminationRequest } from './requests.ts';
import { commonAncestor, isAvailable, pathUp } from './tree.ts';

/**
 * The result of a valid navigation request: a sequencing request, possibly after the end of the current
 * attempt.
 */
export type Navigation = {
  kind: 'navigation';
  termination: TerminationRequest | null;
  sequencing: SequencingRequest;
};

const navigation = (termination: TerminationRequest | null, sequencing: SequencingRequest): Navigation => ({
  kind: 'navigation',
  termination,
  sequencing,
});

/** NB.2.1: Navigation Request Process (SN §5.6). */
export function navigationRequest(draft: Draft, request: NavigationRequest): Navigation | Refused {
  const { current } = draft;
  switch (request.kind) {
    case 'start':
      return current ? refuse('NB.2.1-1', 'sessionAlreadyBegun') : navigation(null, { kind: 'start' });
    case 'resumeAll':
      if (current) return refuse('NB.2.1-1', 'sessionAlreadyBegun');
      if (!draft.suspended) return refuse('NB.2.1-3', 'nothingSuspended');
      return navigation(null, { kind: 'resumeAll' });
    case 'continue':
    case 'previous':
      return flowRequest(draft, request.kind);
    case 'choice':
      return choiceRequest(draft, request.target);
    case 'jump':
      return jumpRequest(draft, request.target);
    case 'exit':
    case 'abandon':
      if (!current) return refuse('NB.2.1-2', 'sessionNotBegun');
      if (!trackOf(draft, current).active) return refuse('NB.2.1-12', 'nothingOpen', current);
      return navigation(request.kind, { kind: 'exit' });
    case 'exitAll':
    case 'abandonAll':
    case 'suspendAll':
      return current ? navigation(request.kind, { kind: 'exit' }) : refuse('NB.2.1-2', 'sessionNotBegun');
  }
}

const leaving = (draft: Draft, current: Activity) => (trackOf(draft, current).active ? 'exit' : null);

function flowRequest(draft: Draft, kind: 'continue' | 'previous'): Navigation | Refused {
  const { current } = draft;
  if (!current) return refuse('NB.2.1-2', 'sessionNotBegun');
  const code = kind === 'continue' ? 'NB.2.1-4' : 'NB.2.1-5';
  const { parent } = current;
  if (!parent) return refuse(code, 'noParent', current);
  const { Flow, ForwardOnly } = parent.sequencing.ControlMode;
  if (!Flow) return refuse(code, 'flowOff', parent);
  if (kind === 'previous' && ForwardOnly) return refuse(code, 'forwardOnly', parent);
  return navigation(leaving(draft, current), { kind });
}

function choiceRequest(draft: Draft, id: string): Navigation | Refused {
  const target = draft.course.byID.get(id);
  if (!target) return refuse('NB.2.1-11', 'unknownActivity');
  const { parent } = target;
  if (parent && !parent.sequencing.ControlMode.Choice) return refuse('NB.2.1-10', 'choiceOff', parent);
  const { current } = draft;
  const sequencing = { kind: 'choice', target: id } as const;
  if (!current) return navigation(null, sequencing);
  const locked = lockedActivity(draft, current, target);
  if (locked) return refuse('NB.2.1-8', 'choiceExitOff', locked);
  return navigation(leaving(draft, current), sequencing);
}

/** The active activity that the choice would leave although its ChoiceExit is off; null if there is none. */
function lockedActivity(draft: Draft, current: Activity, target: Activity): Activity | null {
  const ancestor = commonAncestor(current, target);
  const left = pathUp(current, ancestor).filter((activity) => activity !== ancestor || activity === current);
  const locks = ({ sequencing, index }: Activity) =>
    draft.tracks[index]?.active === true && !sequencing.ControlMode.ChoiceExit;
  return left.find(locks) ?? null;
}

/** 4th edition: a jump ignores control modes and rules, but its target must be available in this attempt. */
function jumpRequest(draft: Draft, id: string): Navigation | Refused {
  const target = draft.course.byID.get(id);
  if (!target) return refuse('NB.2.1-14', 'unknownActivity');
  if (!isAvailable(draft, target)) return refuse('NB.2.1-14', 'notSelected', target);
  if (!draft.current) return refuse('NB.2.1-2', 'sessionNotBegun');
  return navigation(leaving(draft, draft.current), { kind: 'jump', target: id });
}
