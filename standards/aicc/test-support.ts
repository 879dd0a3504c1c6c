const page = '<!doctype html><title>Unit</title>';

/** The files of an AICC course with one unit. `files` replaces or adds files. */
export function aiccCourse(files: Record<string, string> = {}): Record<string, string> {
  return {
    'course.crs': '[Course]\r\nCourse_ID=a-course\r\nCourse_Title=A course\r\nTotal_AUs=1\r\n',
    'course.au': `"system_id","type","command_line","file_name","mastery_score","core_vendor","web_launch","max_time_allowed","time_limit_action"\r\n"A1","lesson","","unit.html","80","a=1","","01:00:00","C,N"\r\n`,
    'course.des':
      '"system_id","developer_id","title","description"\r\n"A1","dev","First unit","About it"\r\n',
    'course.cst': '"block","member"\r\n"root","A1"\r\n',
    'unit.html': page,
    ...files,
  };
}
