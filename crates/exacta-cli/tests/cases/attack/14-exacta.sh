### another project, by our own program
EXACTA_HOME=@HOME@ @EXACTA@ --project @OTHER@ submit @PROJECT@/plan.json; EXACTA_HOME=@HOME@ @EXACTA@ --project @OTHER@ agent --name x -- true; EXACTA_HOME=@HOME@ @EXACTA@ --project @OTHER@ run --approver-key @HOME@/keys/tester.key --yes < /dev/null
### another project, over MCP
printf '%s\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}' '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"submit","arguments":{"patch":"--- a/greet.txt\n+++ b/greet.txt\n@@ -1,2 +1,2 @@\n hello\n-world\n+pwned\n","intent":"FixBug","text":"it says what it should"}}}' | EXACTA_HOME=@HOME@ timeout 20 @EXACTA@ mcp --project @OTHER@ --agent x
### settings, keys, approvals
EXACTA_HOME=@HOME@ @EXACTA@ --project @PROJECT@ profile set SAFE; EXACTA_HOME=@HOME@ @EXACTA@ --project @OTHER@ session end; EXACTA_HOME=@HOME@ @EXACTA@ token revoke x; EXACTA_HOME=@HOME@ @EXACTA@ --project @OTHER@ approve @ --approver-key @HOME@/keys/tester.key; EXACTA_HOME=@HOME@ @EXACTA@ --project @OTHER@ profile set DEV --approver-key @HOME@/keys/tester.key
### the copies of others
EXACTA_HOME=@HOME@ @EXACTA@ --project @PROJECT@ agent drop neighbour --yes; EXACTA_HOME=@HOME@ @EXACTA@ --project @PROJECT@ agent diff neighbour; EXACTA_HOME=@HOME@ @EXACTA@ --project @PROJECT@ agent --name neighbour -- sh -c 'echo pwned > neighbour.txt'
