import { escapeHtml } from '../../../lib/escape-html.ts';
import type { DispatchStandard } from './standards.ts';

type Described = { id: string; title: string };

const organization = ({ title }: Described, attributes: string, resource: string) =>
  `<organizations default="o"><organization identifier="o"><title>${escapeHtml(title)}</title><item identifier="i" identifierref="r"><title>${escapeHtml(title)}</title></item></organization></organizations>
<resources><resource identifier="r" type="webcontent" ${attributes} href="index.html">${resource}</resource></resources>`;
const files = '<file href="index.html"/><file href="closed.html"/>';

/** Quotes of CSV are doubled, and the files of AICC have one line for each record. */
const cell = (text: string) => `"${text.replaceAll('"', '""').replaceAll(/[\r\n]+/g, ' ')}"`;

/** The files that describe the package, beside its pages. */
export const manifests: Record<DispatchStandard, (course: Described) => Record<string, string>> = {
  scorm12: (course) => ({
    'imsmanifest.xml': `<?xml version="1.0" encoding="utf-8"?>
<manifest identifier="d-${course.id}" version="1" xmlns="http://www.imsproject.org/xsd/imscp_rootv1p1p2" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_rootv1p2"><metadata><schema>ADL SCORM</schema><schemaversion>1.2</schemaversion></metadata>
${organization(course, 'adlcp:scormtype="sco"', files)}</manifest>`,
  }),
  scorm2004: (course) => ({
    'imsmanifest.xml': `<?xml version="1.0" encoding="utf-8"?>
<manifest identifier="d-${course.id}" version="1" xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" xmlns:adlcp="http://www.adlnet.org/xsd/adlcp_v1p3"><metadata><schema>ADL SCORM</schema><schemaversion>2004 4th Edition</schemaversion></metadata>
${organization(course, 'adlcp:scormType="sco"', files)}</manifest>`,
  }),
  cmi5: ({ id, title }) => {
    const text = `<langstring lang="en">${escapeHtml(title)}</langstring>`;
    const about = `<title>${text}</title><description>${text}</description>`;
    return {
      'cmi5.xml': `<?xml version="1.0" encoding="utf-8"?>
<courseStructure xmlns="https://w3id.org/xapi/profiles/cmi5/v1/CourseStructure.xsd"><course id="urn:uuid:${id}">${about}</course>
<au id="urn:uuid:${id}:au" moveOn="CompletedOrPassed" launchMethod="AnyWindow">${about}<url>index.html</url></au></courseStructure>`,
    };
  },
  xapi: ({ id, title }) => ({
    'tincan.xml': `<?xml version="1.0" encoding="utf-8"?>
<tincan xmlns="http://projecttincan.com/tincan.xsd"><activities><activity id="urn:uuid:${id}" type="http://adlnet.gov/expapi/activities/course"><name>${escapeHtml(title)}</name><description lang="en">${escapeHtml(title)}</description><launch lang="en">index.html</launch></activity></activities></tincan>`,
  }),
  aicc: ({ id, title }) => ({
    'course.crs': `[Course]\r\nCourse_ID=${id}\r\nCourse_Title=${title.replaceAll(/[\r\n]+/g, ' ')}\r\nCourse_Creator=\r\nCourse_System=\r\nLevel=1\r\nMax_Fields_CST=2\r\nTotal_AUs=1\r\nTotal_Blocks=0\r\nVersion=4.0\r\n[Course_Behavior]\r\nMax_Normal=1\r\n[Course_Description]\r\n`,
    'course.au': `"System_ID","Type","Command_Line","File_Name","Max_Score","Mastery_Score","Max_Time_Allowed","Time_Limit_Action","System_Vendor","Core_Vendor","Web_Launch","AU_Password"\r\n"A1","lesson","","index.html","100","","","","","","",""\r\n`,
    'course.des': `"System_ID","Developer_ID","Title","Description"\r\n"A1","A1",${cell(title)},""\r\n`,
    // Without quotes, because Moodle 4.2 hides quoted units of the root: it sorts them before their course.
    'course.cst': 'Block,Member\r\nroot,A1\r\n',
  }),
};
