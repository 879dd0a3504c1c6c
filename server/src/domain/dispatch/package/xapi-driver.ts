/**
 * cmi5 and xAPI packages (tincan.xml). In cmi5, an AU completes, passes and fails once per registration at most, so what
 * was sent is kept in a state document.
 */
export const xapiDriver = `function makeDriver(){const query=new URLSearchParams(location.search);const isCmi5=c.standard==='cmi5';
const endpoint=(query.get('endpoint')||'').replace(/\\/?$/,'/');const actor=JSON.parse(query.get('actor')||'null');if(!actor||endpoint==='/')throw new Error();
for(const key of ['name','mbox','mbox_sha1sum','openid','account'])if(Array.isArray(actor[key]))actor[key]=actor[key][0];
const registration=query.get('registration');const activityId=query.get(isCmi5?'activityId':'activity_id');
let auth=query.get('auth'),launch={},sent={},progress=0;
const uuid=()=>{const b=crypto.getRandomValues(new Uint8Array(16));b[6]=b[6]&15|64;b[8]=b[8]&63|128;
const h=[...b].map((n)=>n.toString(16).padStart(2,'0')).join('');return[h.slice(0,8),h.slice(8,12),h.slice(12,16),h.slice(16,20),h.slice(20)].join('-')};
const call=async(method,path,body,keepalive)=>{const reply=await fetch(endpoint+path,{method,keepalive:!!keepalive,
headers:{Authorization:auth,'X-Experience-API-Version':'1.0.3',...(body&&{'Content-Type':'application/json'})},body:body&&JSON.stringify(body)});
if(!reply.ok&&reply.status!==404&&reply.status!==409)throw new Error(reply.status);return reply};
const state=(stateId)=>'activities/state?'+new URLSearchParams({stateId,activityId,agent:JSON.stringify(actor),...(registration&&{registration})});
const read=async(path)=>{const reply=await call('GET',path);return reply.status===404?{}:reply.json().catch(()=>({}))};
const verbs='http://adlnet.gov/expapi/verbs/',context='https://w3id.org/xapi/cmi5/context/categories/';
const statement=(verb,result,keepalive)=>{const template=launch.contextTemplate||{};const moves=['completed','passed','failed'].includes(verb);
const own=isCmi5&&verb!=='progressed'?[{id:context+'cmi5'},...(moves?[{id:context+'moveon'}]:[])]:[];
const parents=template.contextActivities||{};const category=[...[].concat(parents.category||[]),...own];
const body={id:uuid(),actor,verb:{id:verbs+verb,display:{en:verb}},object:{objectType:'Activity',id:activityId},timestamp:new Date().toISOString(),
context:{...template,...(registration&&{registration}),contextActivities:{...parents,...(category.length&&{category})}},...(result&&{result})};
return call('POST','statements',[body],keepalive)};
const duration=()=>'PT'+seconds()+'S';const isNormal=()=>(launch.launchMode||'Normal')==='Normal';
const once=async(verb,result)=>{if(sent[verb])return;await statement(verb,result);sent[verb]=true;await call('PUT',state('lectern'),sent)};
return{async open(){if(isCmi5){const from=query.get('fetch');let token=null;try{token=sessionStorage.getItem(from)}catch{}
if(!token){const reply=await fetch(from,{method:'POST'});token=(await reply.json())['auth-token'];if(!token)throw new Error();try{sessionStorage.setItem(from,token)}catch{}}
auth='Basic '+token;launch=await read(state('LMS.LaunchData'));
await call('GET','agents/profile?'+new URLSearchParams({agent:JSON.stringify(actor),profileId:'cmi5LearnerPreferences'}))}
sent=await read(state('lectern'));await statement('initialized');
const{account,mbox,mbox_sha1sum,openid,name=''}=actor;const id=account?(account.homePage||account.accountServiceHomePage||'')+'|'+(account.name||account.accountName):mbox||mbox_sha1sum||openid;
const parts=String(name).split(' ');return{id:String(id),first:parts.slice(0,-1).join(' '),last:parts.at(-1)}},
async put(result){const{Completion,Success,Score,Progress}=result;if(!isNormal())return;const score=Score===null?{}:{score:{scaled:Math.round(Score*100)/10000}};
if(Progress>=progress+5&&Progress<100){progress=Progress;await statement('progressed',{duration:duration(),extensions:{'https://w3id.org/xapi/cmi5/result/extensions/progress':Math.floor(Progress)}})}
if(Success==='failed'&&!sent.passed)await once('failed',{success:false,...score,duration:duration()});
if(Completion==='completed')await once('completed',{completion:true,duration:duration(),...(!isCmi5&&score)});
if(Success==='passed')await once('passed',{success:true,...score,duration:duration()})},
close(){statement('terminated',{duration:duration()},true).catch(()=>{})},back:()=>launch.returnURL}}`;
