// The elements and attributes allowed in a manifest: IMS Content Packaging 1.1.2 and 1.1.4, IMS Simple
// Sequencing 1.0, and ADL's extensions (SCORM 1.2 and SCORM 2004 Content Aggregation Model, sections 2 to 5).
import { sequencing } from './sequencing-vocabulary.ts';
import { type Element, flags, fraction, oneOf, type Text, upTo, type Vocabulary } from './vocabulary.ts';

/**
 * Content Packaging is almost the same in all editions. Only SCORM 1.2 limits lengths, and only SCORM 2004
 * requires an item.
 */
function contentPackaging(
  namespace: string,
  items: 'item*' | 'item+',
  others: 'strict' | 'lax',
  text: (max: number) => Text,
  address: Text,
): Vocabulary {
  const element = (rules: Element): Element => ({ ...rules, others });
  const elements = {
    manifest: element({
      children: 'metadata? organizations resources manifest*',
      attributes: { 'identifier!': 'ID', version: text(20), 'xml:base': 'anyURI' },
    }),
    metadata: element({ children: 'schema? schemaversion?' }),
    schema: { text: text(100) },
    schemaversion: { text: text(20) },
    organizations: element({ children: 'organization*', attributes: { default: 'IDREF' } }),
    organization: element({
      children: `title? ${items} metadata?`,
      attributes: { 'identifier!': 'ID', structure: text(200) },
    }),
    title: { text: text(200) },
    item: element({
      children: 'title? item* metadata?',
      attributes: {
        'identifier!': 'ID',
        identifierref: text(2000),
        isvisible: 'boolean',
        parameters: text(1000),
      },
    }),
    resources: element({ children: 'resource*', attributes: { 'xml:base': 'anyURI' } }),
    resource: element({
      children: 'metadata? file* dependency*',
      attributes: { 'identifier!': 'ID', 'type!': text(1000), 'xml:base': 'anyURI', href: address },
    }),
    file: element({ children: 'metadata?', attributes: { 'href!': address } }),
    dependency: element({ attributes: { 'identifierref!': text(2000) } }),
  };
  return { namespace, roots: Object.keys(elements), attributes: {}, elements };
}

const timeLimitAction = oneOf('exit,message', 'exit,no message', 'continue,message', 'continue,no message');

const scorm12Extensions: Vocabulary = {
  namespace: 'http://www.adlnet.org/xsd/adlcp_rootv1p2',
  roots: [
    ...['location', 'prerequisites', 'maxtimeallowed', 'timelimitaction', 'datafromlms', 'masteryscore'],
    ...['schema', 'schemaversion'],
  ],
  attributes: { scormtype: oneOf('asset', 'sco') },
  elements: {
    location: { text: upTo(2000) },
    prerequisites: { text: upTo(200), attributes: { 'type!': oneOf('aicc_script') } },
    maxtimeallowed: { text: upTo(13) },
    timelimitaction: { text: timeLimitAction },
    datafromlms: { text: upTo(255) },
    masteryscore: { text: upTo(200) },
    schema: { text: oneOf('ADL SCORM') },
    schemaversion: { text: oneOf('1.2') },
  },
};

function scorm2004Extensions(is4th: boolean): Vocabulary {
  const { data, map, ...common }: Record<string, Element> = {
    location: { text: 'anyURI' },
    dataFromLMS: { text: 'string' },
    timeLimitAction: { text: timeLimitAction },
    completionThreshold: is4th
      ? {
          text: 'string',
          attributes: {
            completedByMeasure: 'boolean',
            minProgressMeasure: fraction,
            progressWeight: fraction,
          },
        }
      : { text: fraction },
    data: { children: 'map+' },
    map: { attributes: { 'targetID!': 'anyURI', readSharedData: 'boolean', writeSharedData: 'boolean' } },
  };
  const elements = is4th && data && map ? { ...common, data, map } : common;
  return {
    namespace: 'http://www.adlnet.org/xsd/adlcp_v1p3',
    roots: Object.keys(elements),
    attributes: {
      scormType: oneOf('sco', 'asset'),
      ...(is4th && { sharedDataGlobalToSystem: 'boolean' as const }),
    },
    elements,
  };
}

function sequencingExtensions(is4th: boolean): Vocabulary {
  const consideration = oneOf('always', 'ifAttempted', 'ifNotSkipped', 'ifNotSuspended');
  const values = ['RawScore', 'MinScore', 'MaxScore', 'CompletionStatus', 'ProgressMeasure'];
  const objectives: Record<string, Element> = {
    objectives: { children: 'objective+' },
    objective: { children: 'mapInfo+', attributes: { 'objectiveID!': 'anyURI' } },
    mapInfo: {
      attributes: {
        'targetObjectiveID!': 'anyURI',
        ...flags(...values.flatMap((value) => [`read${value}`, `write${value}`])),
      },
    },
  };
  const elements: Record<string, Element> = {
    constrainedChoiceConsiderations: { attributes: flags('preventActivation', 'constrainChoice') },
    rollupConsiderations: {
      attributes: {
        requiredForSatisfied: consideration,
        requiredForNotSatisfied: consideration,
        requiredForCompleted: consideration,
        requiredForIncomplete: consideration,
        measureSatisfactionIfActive: 'boolean',
      },
    },
    ...(is4th && objectives),
  };
  return {
    namespace: 'http://www.adlnet.org/xsd/adlseq_v1p3',
    roots: Object.keys(elements),
    attributes: { objectivesGlobalToSystem: 'boolean' },
    elements,
  };
}

const navigation: Vocabulary = {
  namespace: 'http://www.adlnet.org/xsd/adlnav_v1p3',
  roots: ['presentation', 'navigationInterface', 'hideLMSUI'],
  attributes: {},
  elements: {
    presentation: { children: 'navigationInterface?' },
    navigationInterface: { children: 'hideLMSUI*' },
    hideLMSUI: {
      text: oneOf('abandon', 'continue', 'exit', 'previous', 'suspendAll', 'exitAll', 'abandonAll'),
    },
  },
};

function scorm2004(is4th: boolean): readonly Vocabulary[] {
  const namespace = 'http://www.imsglobal.org/xsd/imscp_v1p1';
  return [
    contentPackaging(
      namespace,
      is4th ? 'item+' : 'item*',
      is4th ? 'lax' : 'strict',
      () => 'string',
      'anyURI',
    ),
    scorm2004Extensions(is4th),
    sequencingExtensions(is4th),
    navigation,
    sequencing,
  ];
}

export const vocabularies = {
  scorm12: [
    contentPackaging('http://www.imsproject.org/xsd/imscp_rootv1p1p2', 'item*', 'strict', upTo, {
      base: 'anyURI',
      maxCharacters: 2000,
    }),
    scorm12Extensions,
  ],
  'scorm2004-3rd': scorm2004(false),
  'scorm2004-4th': scorm2004(true),
} as const satisfies Record<string, readonly Vocabulary[]>;

export type Edition = keyof typeof vocabularies;
