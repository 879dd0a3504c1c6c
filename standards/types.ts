import type { MoveOn } from './cmi5/vocabulary.ts';

/** Single files that are courses: a PDF, a video, an audio file and an HTML page. */
export const mediaStandards = ['document', 'video', 'audio', 'page'] as const;
export type MediaStandard = (typeof mediaStandards)[number];

/** When a single file is completed: at a percentage that was seen, or when the learner confirms a text. */
export type CompleteWhen = { Percent: number } | { Confirm: string };

/** The e-learning standards that Lectern supports. The 2004 editions differ in schema and sequencing. */
export const standards = [
  'scorm12',
  'scorm2004-2nd',
  'scorm2004-3rd',
  'scorm2004-4th',
  'cmi5',
  'xapi',
  'aicc',
  'web',
  'lti',
  ...mediaStandards,
] as const;
export type Standard = (typeof standards)[number];

/**
 * One node of the course tree: a manifest `item`, a block or AU of cmi5 or AICC, an xAPI activity, or the
 * single page of a web course. A node without `Href` is only a group.
 */
export type Unit = {
  /** The item's `identifier`, unique in the tree. */
  UnitID: string;
  Title: string;
  /**
   * The path within the package with query and parameters, percent-encoded as a URL reference. It is absolute
   * for a page on another site, and null for a group.
   */
  Href: string | null;
  /**
   * `sco` uses the run-time API. `au` reports to the service itself by xAPI, HACP or LTI. `asset` does not report.
   * Null for a group.
   */
  Kind: 'sco' | 'au' | 'asset' | null;
  /** The item's `isvisible`. */
  Visible: boolean;
  Children: Unit[];
  /** SCORM 1.2 `adlcp:masteryscore`, AICC `mastery_score` (0–100). */
  MasteryScore: number | null;
  /** SCORM 1.2 `adlcp:maxtimeallowed`; for 2004 see `attemptAbsoluteDurationLimit` in `Sequencing`. */
  MaxTimeAllowed: string | null;
  /** `adlcp:timelimitaction` / `timeLimitAction`. */
  TimeLimitAction: string | null;
  /** `adlcp:datafromlms` / `dataFromLMS`: becomes `cmi.launch_data`. AICC: `core_vendor`. */
  DataFromLMS: string | null;
  /** SCORM 1.2 `adlcp:prerequisites` (AICC script), as written. */
  Prerequisites: string | null;
  /** SCORM 2004 `adlcp:completionThreshold`; `MinProgressMeasure` 0–1. */
  CompletionThreshold: {
    CompletedByMeasure: boolean;
    MinProgressMeasure: number;
    ProgressWeight: number;
  } | null;
  /** SCORM 2004 4th edition `adlcp:data` maps. */
  SharedData: { TargetID: string; Read: boolean; Write: boolean }[];
  /** SCORM 2004 `adlnav:hideLMSUI` values. */
  HideLMSUI: string[];
  /** SCORM 2004 `imsss:sequencing` of this item, merged with its `sequencingCollection` entry. */
  Sequencing: Sequencing | null;
  /** cmi5 and xAPI: the title by language. */
  Names?: Record<string, string>;
  /** cmi5: the properties of the AU in the course structure. */
  AssignableUnit?: AssignableUnit;
  /** A single file that the player shows itself. `Href` and `Captions` are paths within the release. */
  Media?: {
    CompleteWhen: CompleteWhen;
    Release: number;
    Captions: { Href: string; Language: string | null }[];
  };
};

/** cmi5 section 13.1.4. */
export type AssignableUnit = {
  MoveOn: MoveOn;
  /** 0–1. */
  MasteryScore: number | null;
  OwnWindow: boolean;
  LaunchParameters: string | null;
  EntitlementKey: string | null;
  ActivityType: string | null;
  /** The IDs of the objectives that the AU refers to. */
  Objectives: string[];
};

/**
 * IMS Simple Sequencing 1.0 §3, as used by the SN book of SCORM 2004. Values keep the manifest's spelling and
 * scales (measures −1–1 or 0–1).
 */
export type Sequencing = {
  ControlMode: {
    Choice: boolean;
    ChoiceExit: boolean;
    Flow: boolean;
    ForwardOnly: boolean;
    UseCurrentAttemptObjectiveInfo: boolean;
    UseCurrentAttemptProgressInfo: boolean;
  };
  ConstrainedChoice: { PreventActivation: boolean; ConstrainChoice: boolean };
  Rules: SequencingRule[];
  Limits: { AttemptLimit: number | null; AttemptAbsoluteDurationLimit: string | null };
  RollupRules: {
    RollupObjectiveSatisfied: boolean;
    RollupProgressCompletion: boolean;
    ObjectiveMeasureWeight: number;
    Rules: RollupRule[];
  };
  RollupConsiderations: {
    RequiredForSatisfied: string;
    RequiredForNotSatisfied: string;
    RequiredForCompleted: string;
    RequiredForIncomplete: string;
    MeasureSatisfactionIfActive: boolean;
  };
  Objectives: Objective[];
  Randomization: {
    RandomizationTiming: string;
    SelectCount: number | null;
    ReorderChildren: boolean;
    SelectionTiming: string;
  };
  Delivery: { Tracked: boolean; CompletionSetByContent: boolean; ObjectiveSetByContent: boolean };
};

export type SequencingRule = {
  When: 'pre' | 'post' | 'exit';
  ConditionCombination: 'all' | 'any';
  Conditions: {
    Condition: string;
    Operator: 'noOp' | 'not';
    ReferencedObjective: string | null;
    MeasureThreshold: number | null;
  }[];
  Action: string;
};

export type RollupRule = {
  ChildActivitySet: string;
  MinimumCount: number;
  /** 0–1, as in the manifest. */
  MinimumPercent: number;
  ConditionCombination: 'all' | 'any';
  Conditions: { Condition: string; Operator: 'noOp' | 'not' }[];
  Action: string;
};

export type Objective = {
  /** Null for a primary objective without an ID. */
  ObjectiveID: string | null;
  Primary: boolean;
  SatisfiedByMeasure: boolean;
  MinNormalizedMeasure: number;
  /** `imsss:mapInfo` and `adlseq:mapInfo`, merged per target. */
  Maps: {
    TargetObjectiveID: string;
    ReadSatisfiedStatus: boolean;
    WriteSatisfiedStatus: boolean;
    ReadNormalizedMeasure: boolean;
    WriteNormalizedMeasure: boolean;
    ReadRawScore: boolean;
    WriteRawScore: boolean;
    ReadMinScore: boolean;
    WriteMinScore: boolean;
    ReadMaxScore: boolean;
    WriteMaxScore: boolean;
    ReadCompletionStatus: boolean;
    WriteCompletionStatus: boolean;
    ReadProgressMeasure: boolean;
    WriteProgressMeasure: boolean;
  }[];
};

/** The course tree of a release, as the player needs it. */
export type CourseTree = {
  /** The organization's `identifier`. */
  Identifier?: string | null;
  /** cmi5: the title by language. */
  Names?: Record<string, string>;
  /** The tool that made the package, if it is known. */
  AuthoringTool?: string;
  Units: Unit[];
  /** SCORM 2004: the organization's own sequencing. */
  Sequencing: Sequencing | null;
  /** The organization's own threshold. */
  CompletionThreshold?: Unit['CompletionThreshold'];
  /** Whether global objectives and shared data are shared with the learner's other courses. */
  ObjectivesGlobalToSystem: boolean;
  SharedDataGlobalToSystem: boolean;
};

/**
 * `error`: learners get an error page or cannot complete a unit. `warning`: they may notice the problem.
 * `note`: they do not notice it.
 */
export const severities = ['error', 'warning', 'note'] as const;
export type Severity = (typeof severities)[number];

/** A deviation that does not prevent the course from being imported. */
export type PackageWarning = {
  Severity: Severity;
  Message: string;
  File: string | null;
  Line: number | null;
};

/** The result of importing a package. */
export type PackageReport = {
  Standard: Standard;
  Title: string;
  Tree: CourseTree;
  Warnings: PackageWarning[];
  Files: number;
  Bytes: number;
};

/** The result that follows from the run-time data of one unit or of a whole course. */
export type Evidence = {
  Completion: 'unknown' | 'incomplete' | 'completed';
  Success: 'unknown' | 'passed' | 'failed';
  /** 0–100. */
  Score: number | null;
  /** 0–100. */
  Progress: number;
  TotalSeconds: number;
  /** SCORM 2004: the values of objectives that the unit's data supports. They limit the roll-up. */
  Supports?: SupportedResults;
};

/** The run-time data of one unit as a flat object: `cmi.core.lesson_status` → `completed`. */
export type RunTimeData = Record<string, string>;

/** The best values of an objective that a unit's report supports. Null means that no measure was reported. */
export type SupportedResult = {
  completed: boolean;
  satisfied: boolean;
  measure: number | null;
  progress: number | null;
};

/** The unit's objectives, by position, for which its data supports a good result. */
export type SupportedResults = readonly (readonly [position: number, result: Partial<SupportedResult>])[];
