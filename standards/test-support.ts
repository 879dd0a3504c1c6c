import type { Unit } from './types.ts';
import { noDetails } from './unit-details.ts';

export function manifest12(
  items: string,
  resources: string,
  metadata = '<schemaversion>1.2</schemaversion>',
): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="m" version="1" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2">
<metadata><schema>ADL SCORM</schema>${metadata}</metadata>
<organizations default="o"><organization identifier="o"><title>Safety first</title>${items}</organization></organizations>
<resources>${resources}</resources></manifest>`;
}

export const oneItem = '<item identifier="i" identifierref="r"><title>Start</title></item>';
export const oneResource =
  '<resource identifier="r" type="webcontent" adlcp:scormtype="sco" href="index.html"><file href="index.html"/></resource>';

export function manifest2004(organization: string, collection = '', edition = '2004 4th Edition'): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<manifest identifier="m" version="1" xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3" xmlns:adlseq="http://www.adlnet.org/xsd/adlseq_v1p3" xmlns:adlnav="http://www.adlnet.org/xsd/adlnav_v1p3" xmlns:imsss="http://www.imsglobal.org/xsd/imsss">
<metadata><schema>ADL SCORM</schema><schemaversion>${edition}</schemaversion></metadata>
<organizations default="o"><organization identifier="o" adlseq:objectivesGlobalToSystem="false"><title>Safety first</title>${organization}</organization></organizations>
<resources>${oneResource.replace('scormtype', 'scormType')}</resources>${collection}</manifest>`;
}

export function unitOf(details: Partial<Unit> = {}): Unit {
  const base = { UnitID: 'u', Title: 'U', Href: 'u.html', Kind: 'sco' as const, Visible: true, Children: [] };
  return { ...noDetails, ...base, ...details };
}
