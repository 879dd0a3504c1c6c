/** AICC by HACP: commands as forms, answers as text (AICC CMI001, appendix A). */
export const aiccDriver = `function makeDriver(){const query=new Map([...new URLSearchParams(location.search)].map(([name,value])=>[name.toLowerCase(),value]));
const url=query.get('aicc_url'),session=query.get('aicc_sid');if(!url||!session)throw new Error();
const send=async(command,data,keepalive)=>{const body=new URLSearchParams({command,version:'4.0',session_id:session,aicc_data:data||''});
const reply=await fetch(/^https?:/i.test(url)?url:location.protocol+'//'+url,{method:'POST',body,keepalive:!!keepalive});const text=await reply.text();
if(!reply.ok||!/error\\s*=\\s*0/i.test(text))throw new Error(text);return text};
const two=(n)=>String(n).padStart(2,'0');const time=()=>{const s=seconds();return two(Math.floor(s/3600))+':'+two(Math.floor(s/60)%60)+':'+two(s%60)};
const data=({Completion,Success,Score})=>'[Core]\\r\\nLesson_Location=\\r\\nLesson_Status='+(Success!=='unknown'?Success:Completion==='completed'?'completed':'incomplete')+
'\\r\\nScore='+(Score===null?'':Math.round(Score*100)/100)+'\\r\\nTime='+time()+'\\r\\n[Core_Lesson]\\r\\n';
return{async open(){const text=await send('GetParam');const value=(key)=>((new RegExp('^\\\\s*'+key+'\\\\s*=[ \\\\t]*(.*)$','im').exec(text)||[])[1]||'').trim();
const id=value('student_id');if(!id)throw new Error();
this.hasStatus=/^[^n]/i.test(value('lesson_status'));const [last,first]=value('student_name').split(',').map((part)=>part.trim());return{id,first,last}},
put:(result)=>send('PutParam',data(result)),
close(result){const exit=()=>send('ExitAU','',true);(result?send('PutParam',data(result),true).then(exit,exit):exit()).catch(()=>{})}}}`;
