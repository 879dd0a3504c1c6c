/** A conversation of AICC content with the service, and what the service must make of it. */
export type Dialect = {
  name: string;
  version: string;
  /** Writes the body of a request. `data` has the line breaks of the dialect. */
  write: (fields: {
    command: string;
    session: string;
    version: string;
    data: string;
  }) => string | Uint8Array<ArrayBuffer>;
  type: string;
  lineBreak: '\r\n' | '\n' | '\r';
  /** What follows `GetParam`, in order: each command with the lines of its message. */
  messages: string[][];
  result: { Completion: string; Success: string; Score: number | null; TotalSeconds: number };
  interactions: [
    id: string,
    type: string | null,
    response: string,
    result: string | null,
    latency: number | null,
  ][];
  objectives: [id: string, completion: string, success: string, score: number | null][];
  /** Texts that must be stored in the unit's run-time data. */
  stored: Record<string, RegExp>;
  /** The values that the next session reads. */
  resumed: Record<string, string>;
  /** The text that the content kept in `[Core_Lesson]`. */
  lesson: string | null;
};

const form = 'application/x-www-form-urlencoded';

/** JavaScript's legacy `escape` function, which much content uses to encode its messages. */
const escaped = (text: string) =>
  text.replace(/[^\w@*+./-]/g, (letter) => {
    const code = letter.charCodeAt(0);
    return code < 256 ? `%${code.toString(16).padStart(2, '0')}` : `%u${code.toString(16).padStart(4, '0')}`;
  });

export const dialects: readonly Dialect[] = [
  {
    name: 'version 2.0: a form with names in capitals, one-letter words and a plain score',
    version: '2.0',
    type: form,
    lineBreak: '\r\n',
    write: ({ command, session, version, data }) =>
      new URLSearchParams({
        ...{ COMMAND: command.toUpperCase(), VERSION: version, SESSION_ID: session, AICC_DATA: data },
      }).toString(),
    messages: [
      ['PutParam', '[CORE]', 'LESSON_LOCATION=page 4', 'LESSON_STATUS=I', 'SCORE=40', 'TIME=00:10:00'],
      [
        'PutInteractions',
        'course_id,student_id,lesson_id,date,time,interaction_id,objective_id,type_interaction,correct_response,student_response,result,weighting,latency',
        'c1,s1,A1,01/31/1996,10:20:30,Q1,O1,T,t,f,W,1,00:00:12',
        'c1,s1,A1,01/31/1996,10:21:00,Q2,O1,C,"b,c","b,c",C,1,00:01:00',
      ],
      [
        'PutObjectives',
        'course_id,student_id,lesson_id,date,time,objective_id,status,score',
        'c1,s1,A1,01/31/1996,10:22:00,O1,P,80',
      ],
      [
        'PutPath',
        'course_id,student_id,lesson_id,date,time,element_location,status,why_left,time_in_element',
        'c1,s1,A1,01/31/1996,10:00:00,page 1,C,S,00:02:00',
      ],
      [
        'PutPerformance',
        'course_id,student_id,lesson_id,date,time,performance_id',
        'c1,s1,A1,01/31/1996,10:00:00,P1',
      ],
      [
        'PutComments',
        'course_id,student_id,lesson_id,date,time,location,comment',
        'c1,s1,A1,01/31/1996,10:00:00,page 1,Too dark',
      ],
      ['PutParam', '[CORE]', 'LESSON_STATUS=P', 'SCORE=80', 'TIME=00:20:00'],
      ['ExitAU'],
    ],
    result: { Completion: 'completed', Success: 'passed', Score: 80, TotalSeconds: 1_200 },
    interactions: [
      ['Q1', 'true-false', 'f', 'incorrect', 12],
      ['Q2', 'choice', 'b,c', 'correct', 60],
    ],
    objectives: [['O1', 'completed', 'passed', 80]],
    stored: { 'cmi.comments': /^Too dark$/, 'lectern.path': /page 1,C,S/, 'lectern.performance': /,P1$/ },
    resumed: { lesson_location: 'page 4', lesson_status: 'Passed', score: '80', time: '00:20:00' },
    lesson: null,
  },
  {
    name: 'version 2.2: encoded by escape(), with line feeds, "c, S", and a missing Core_Lesson',
    version: '2.2',
    type: form,
    lineBreak: '\n',
    write: ({ command, session, version, data }) =>
      `command=${command.toLowerCase()}&version=${version}&session_id=${escaped(session)}&aicc_data=${escaped(data)}`,
    messages: [
      ['PutParam', '[core]', 'lesson_location=Übung + 1 €', 'lesson_status=i,s', 'time=00:00:30'],
      [
        'PutInteractions',
        '"date","time","interaction_id","type_interaction","student_response","result","latency"',
        '"2003/01/31","10:20:30","q 1","fill-in","Größe > 5","neutral","00:00:05"',
      ],
      ['PutObjectives', '"objective_id","status","score"', '"o1","f","12"', '"o2","n",""'],
      ['PutPath', '"element_location","time_in_element"', '"intro","00:00:30"'],
      ['PutPerformance', '"performance_id"', '"p1"'],
      ['PutComments', '"location","comment"', '"intro","Gut, aber lang"', '"end","Danke"'],
      ['PutParam', '[core]', 'lesson_status=c, S', 'time=00:01:30'],
      ['ExitAU'],
    ],
    result: { Completion: 'completed', Success: 'unknown', Score: null, TotalSeconds: 90 },
    interactions: [['q 1', 'fill-in', 'Größe > 5', 'neutral', 5]],
    objectives: [
      ['o1', 'incomplete', 'failed', 12],
      ['o2', 'unknown', 'unknown', null],
    ],
    stored: { 'cmi.comments': /^Gut, aber lang\r\nDanke$/, 'lectern.path': /"intro"/ },
    resumed: { lesson_location: 'Übung + 1 €', lesson_status: 'Completed,Resume', time: '00:01:30' },
    lesson: null,
  },
  {
    name: 'version 3.0: a body that is not encoded, with lower-case keys and free text with brackets',
    version: '3.0',
    type: 'text/plain',
    lineBreak: '\r\n',
    write: ({ command, session, version, data }) =>
      `session_id=${session}&version=${version}&aicc_data=${data}&command=${command}`,
    messages: [
      [
        ...['PutParam', '', '[core]', 'lesson_location=a&b=c', 'lesson_status=incomplete', 'score=5,10,0'],
        ...['time=0001:00:00.00', '[core_lesson]', 'x=[1,2]', '[page]', '', 'y=100%'],
        ...['[objectives_status]', 'j_id.1=o1', 'j_score.1=8,10,0', 'j_status.1=passed'],
      ],
      [
        'PutInteractions',
        '"interaction_id","student_response","result","type_interaction"',
        '"q1","a & b","correct","performance"',
      ],
      ['PutObjectives', '"objective_id","status"', '"o2","incomplete"'],
      ['PutPath', '"element_location"', '"page 1"'],
      ['PutPerformance', '"performance_id"', '"p1"'],
      ['PutComments', 'Plain text, not a table'],
      ['PutParam', '[core]', 'lesson_status=passed,logout', 'score=8,10,0', 'time=0001:30:00.50'],
      ['ExitAU'],
    ],
    result: { Completion: 'completed', Success: 'passed', Score: 80, TotalSeconds: 5_401 },
    interactions: [['q1', 'performance', 'a & b', 'correct', null]],
    objectives: [
      ['o1', 'completed', 'passed', 80],
      ['o2', 'incomplete', 'unknown', null],
    ],
    stored: { 'cmi.comments': /^Plain text, not a table$/ },
    resumed: { lesson_location: 'a&b=c', lesson_status: 'Passed', score: '8,10,0', time: '01:30:00' },
    lesson: 'x=[1,2]\r\n[page]\r\n\r\ny=100%',
  },
  {
    name: 'version 3.5: carriage returns only, the data before the session ID, and columns in another order',
    version: '3.5',
    type: `${form}; charset=iso-8859-1`,
    lineBreak: '\r',
    write: ({ command, session, version, data }) =>
      `AICC_Data=${encodeURIComponent(data)}&Session_ID=${session}&Version=${version}&Command=${command}`,
    messages: [
      [
        ...['PutParam', '[Core]', 'Lesson_Location = 3', 'Lesson_Status = I,Suspend', 'Score = 50 , 100 , 0'],
        ...['Time = 00:05:00', '[Core_Lesson]', 'state', '[Student_Preferences]', 'Audio=-1', 'Language=de'],
      ],
      [
        'PutInteractions',
        '"Result","Latency","Student_Response","Interaction_ID","Type_Interaction","Vendor_Column"',
        '"U","0000:00:07.50","1.5","q1","N","x"',
        '"C","","a.1,b.2","q2","Matching","x"',
      ],
      ['PutObjectives', '"Score","Status","Objective_ID"', '"90,100,0","Complete","o1"'],
      ['PutPath', '"Element_Location"', '"page 1"'],
      ['PutPerformance', '"Performance_ID"', '"p1"'],
      ['PutComments', '"Comment"', '"He said ""well done"""'],
      ['PutParam', '[Core]', 'Lesson_Status=F,Time-out', 'Score=60,100,0', 'Time=00:07:30.25'],
      ['ExitAU'],
    ],
    result: { Completion: 'incomplete', Success: 'failed', Score: 60, TotalSeconds: 450 },
    interactions: [
      ['q1', 'numeric', '1.5', 'unanticipated', 7.5],
      ['q2', 'matching', 'a.1,b.2', 'correct', null],
    ],
    objectives: [['o1', 'completed', 'unknown', 90]],
    stored: { 'cmi.comments': /^He said "well done"$/, 'cmi.student_preference.language': /^de$/ },
    resumed: { lesson_location: '3', score: '60,100,0', time: '00:07:30', audio: '-1', language: 'de' },
    lesson: 'state',
  },
  {
    name: 'version 4.0: all values percent-encoded in Windows-1252, whole words and long times',
    version: '4.0',
    type: form,
    lineBreak: '\r\n',
    write: ({ command, session, version, data }) => {
      const encoded = (text: string) => Buffer.from(text, 'latin1').toString('hex').replace(/../g, '%$&');
      return `command=${encoded(command)}&version=${encoded(version)}&session_id=${encoded(session)}&au_password=&aicc_data=${encoded(data)}`;
    },
    messages: [
      [
        ...['PutParam', '[CORE]', 'Lesson_Location=über', 'Lesson_Status=Not attempted', 'Score=,,'],
        ...['Time=0000:00:00.00', '[CORE_LESSON]', 'ä=1'],
      ],
      [
        'PutInteractions',
        '"Course_ID", "Interaction_ID", "Result", "Student_Response", "Type_Interaction", "Weighting"',
        '"c", "é", "0.5", "c", "likert", "2"',
      ],
      ['PutObjectives', '"Objective_ID", "Score", "Status"', '"é", "75", "Browsed"'],
      ['PutPath', '"Element_Location"', '"é"'],
      ['PutPerformance', '"Performance_ID"', '"é"'],
      ['PutComments', '"Comment"', '"Très bien"'],
      ['PutParam', '[CORE]', 'Lesson_Status=Browsed', 'Score=75', 'Time=0012:30:00.00'],
      ['ExitAU', '[CORE]', 'Lesson_Status=Passed,', 'Score=75,100', 'Time=0012:30:10.00'],
    ],
    result: { Completion: 'completed', Success: 'passed', Score: 75, TotalSeconds: 45_010 },
    interactions: [['é', 'likert', 'c', '0.5', null]],
    objectives: [['é', 'incomplete', 'unknown', 75]],
    stored: { 'cmi.comments': /^Très bien$/, 'lectern.path': /é/, 'lectern.performance': /é/ },
    resumed: { lesson_location: 'über', lesson_status: 'Passed', score: '75,100,0', time: '12:30:10' },
    lesson: 'ä=1',
  },
  {
    name: 'no version: an applet that sends only what is necessary, with an empty content type',
    version: '',
    type: '',
    lineBreak: '\r\n',
    write: ({ command, session, data }) =>
      Buffer.from(`command=${command}&session_id=${session}${data && `&aicc_data=${data}`}`, 'latin1'),
    messages: [
      ['PutParam', '[core]', 'lesson_location=7', 'lesson_status=i', 'time=1:00:00'],
      ['PutInteractions', 'interaction_id,result', 'q1,c', 'q1,w'],
      ['PutObjectives', 'objective_id,status', 'o1,c'],
      ['PutPath'],
      ['PutPerformance'],
      ['PutComments'],
      ['PutParam', '[core]', 'lesson_status=C,L', 'time=1:15:00'],
      ['ExitAU'],
    ],
    result: { Completion: 'completed', Success: 'unknown', Score: null, TotalSeconds: 4_500 },
    interactions: [
      ['q1', null, '', 'correct', null],
      ['q1', null, '', 'incorrect', null],
    ],
    objectives: [['o1', 'completed', 'unknown', null]],
    stored: {},
    resumed: { lesson_location: '7', lesson_status: 'Completed', score: '', time: '01:15:00' },
    lesson: null,
  },
];
