package tools

import "strings"

// aliases lists, for each tool, names that models invent for it because other
// programs or their training call it so. Case and separators do not count,
// and a name counts only when the call's arguments fit the tool.
var aliases = []struct{ tool, names string }{
	{"bash", `shell run execute sh terminal exec cmd command console zsh run_command
		run_shell run_shell_command run_bash run_terminal run_terminal_cmd
		run_in_terminal execute_command execute_bash execute_shell exec_command
		shell_exec shell_command bash_command local_shell container_exec`},
	{"read_file", `cat open read view view_file open_file get_file show_file file_read
		read_files read_file_content get_file_contents file_content head
		ls dir list list_dir list_directory list_files`},
	{"write_file", `write create create_file save save_file file_write new_file
		write_to_file create_new_file overwrite_file put_file`},
	{"edit_file", `edit replace str_replace string_replace search_replace
		search_and_replace replace_in_file find_and_replace modify_file
		update_file change_file apply_edit edit_files multi_edit file_edit
		str_replace_editor str_replace_based_edit_tool replace_string_in_file`},
	{"read_skill", `skill use_skill load_skill get_skill run_skill open_skill skills`},
	{"plan", `todo todos todo_write write_todos todo_list update_plan set_plan
		make_plan create_plan task_list`},
	{"grep", `search rg ripgrep search_files search_text search_code grep_search
		find_in_files code_search`},
	{"glob", `find find_files file_search search_files glob_search ls list_files`},
	{"fetch_content", `fetch web_fetch fetch_url fetch_page get_url open_url browse
		http_get url_fetch download_page web_get visit`},
}

// aliasTargets lists the tools that an invented name may mean.
func aliasTargets(name string) []string {
	var out []string
	for _, form := range forms(name) {
		for _, a := range aliases {
			for alias := range strings.FieldsSeq(a.names) {
				if foldName(alias) == form {
					out = append(out, a.tool)
				}
			}
		}
	}
	return out
}
