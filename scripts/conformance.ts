// Runs a conformance suite: npm run conformance -- [scorm2004 | cmi5 PATH | xapi PATH | scim PATH | credentials PATH]
const suites = ['scorm2004', 'cmi5', 'xapi', 'scim', 'credentials'];

const suite = suites.find((name) => name === process.argv[2]);
if (suite) process.argv.splice(2, 1);
await import(`../test/conformance/${suite ?? 'scorm2004'}/run.ts`);
