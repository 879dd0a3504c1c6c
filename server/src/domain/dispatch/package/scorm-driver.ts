/**
 * SCORM 1.2 and 2004. Some receivers relay calls across frames: the first reads after Initialize answer "", and refused
 * values answer "true", so reads are repeated and values are read back.
 */
export const scormDriver = `function makeDriver(){const is12=c.standard==='scorm12';const name=is12?'API':'API_1484_11';const pre=is12?'LMS':'';
const scan=(w)=>{for(let n=0;w&&n<50;n++){try{if(w[name])return w[name]}catch{}if(w===w.parent)break;w=w.parent}return null};
const api=scan(window)||(window.opener?scan(window.opener):null)||(window.top.opener?scan(window.top.opener):null);if(!api)throw new Error();
const call=(what,...args)=>api[pre+what](...args);const get=(key)=>String(call('GetValue',key)??'');
const core=is12?'cmi.core.':'cmi.';const round=(value)=>String(Math.round(value*100)/100);let finished=false;
const status=is12?'cmi.core.lesson_status':'cmi.completion_status';
const time=()=>{const s=seconds();if(!is12)return 'PT'+s+'S';const two=(n)=>String(n).padStart(2,'0');
return String(Math.floor(s/3600)).padStart(4,'0')+':'+two(Math.floor(s/60)%60)+':'+two(s%60)};
const read=async(key)=>{for(let n=0;n<10;n++){const value=get(key);if(value)return value;await wait(300)}return ''};
const write=async(key,value)=>{for(let n=0;n<4;n++){call('SetValue',key,value);const now=get(key);
if(now===value||now!==''&&Number(now)===Number(value))return;await wait(300)}};
const end=(result)=>{call('SetValue',core+'session_time',time());const done=result&&(result.Completion==='completed'||result.Success==='passed');
call('SetValue',core+'exit',done?(is12?'':'normal'):'suspend')};
return{async open(){call('Initialize','');const id=await read(core+(is12?'student_id':'learner_id'));
const own=id||get('cmi.suspend_data')||'anonymous-'+Math.random().toString(36).slice(2)+Date.now().toString(36);
this.hasStatus=!['','not attempted','unknown'].includes(get(status));
if(!id){call('SetValue','cmi.suspend_data',own);call('Commit','')}
const [last,first]=get(core+(is12?'student_name':'learner_name')).split(',').map((part)=>part.trim());return{id:own,first,last}},
async put(result){const{Completion,Success,Score,Progress}=result;const isDone=Completion==='completed';
if(Score!==null){call('SetValue',core+'score.min','0');call('SetValue',core+'score.max','100');await write(core+'score.raw',round(Score));
if(!is12)await write('cmi.score.scaled',String(Math.round(Score*100)/10000))}
if(is12)await write(status,Success!=='unknown'?Success:isDone?'completed':'incomplete');
else{await write(status,isDone?'completed':'incomplete');if(Success!=='unknown')await write('cmi.success_status',Success);
await write('cmi.progress_measure',String(isDone?1:Math.round(Progress*100)/10000))}
if(closed)return;end(result);if(String(call('Commit',''))==='false')throw new Error()},
close(result){if(finished)return;finished=true;end(result);call('Commit','');call(is12?'Finish':'Terminate','')}}}`;
