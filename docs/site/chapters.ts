/** The pages of the guide in reading order. A test checks that no page is missing. */
export const chapters = [
  { title: 'Start', pages: ['index', 'quick-start', 'concepts'] },
  {
    title: 'Tasks',
    pages: [
      'enrol',
      'launch',
      'scorm',
      'cmi5',
      'aicc',
      'files',
      'retries',
      'bulk',
      'enrolment-keys',
      'reports',
      'webhooks',
      'testing',
      'xapi',
      'sign-in',
      'single-sign-on',
      'provisioning',
      'branding',
      'certificates',
      'erasure',
      'typescript-client',
      'console',
      'troubleshooting',
    ],
  },
  {
    title: 'Operations',
    pages: ['deployment', 'content-origins', 'key-ring', 'upgrade', 'backup', 'scaling', 'monitoring'],
  },
  {
    title: 'Reference',
    pages: ['reference/configuration', 'reference/errors', 'reference/events', 'reference/commands'],
  },
];
