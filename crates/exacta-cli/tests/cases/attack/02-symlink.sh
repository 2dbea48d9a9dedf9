### a link to a file outside, written through
ln -s @USER@/notes.txt link.txt && echo pwned >> link.txt; ln -sf @OUTSIDE@/made.txt dangling && echo pwned > dangling
### a folder that becomes a link to one outside
rm -rf src && ln -s @OUTSIDE@ src && echo pwned > src/main.py; cat src/secret.txt
### a tracked file that becomes a link to a secret, for whoever reads the copy
#alone: the copy is read by our own walk, which there is only with it
rm greet.txt && ln -s @OUTSIDE@/secret.txt greet.txt; mkdir -p lib; ln -s @HOME@/keys/tester.key lib/key.txt; ln -s /proc/self/environ lib/environ.txt
### swapped again and again while the copy is read
#alone: the copy is read by our own walk, which there is only with it
(i=0; while [ $i -lt 4000 ]; do ln -sfn @OUTSIDE@/secret.txt swap.txt; rm -f swap.txt; echo plain > swap.txt; rm -rf dir; ln -sfn @OUTSIDE@ dir; rm -f dir; mkdir dir; echo plain > dir/secret.txt; i=$((i+1)); done) >/dev/null 2>&1 & sleep 1
### links of folders above the copy
ln -s / root && echo pwned > root@OUTSIDE@/rooted.txt; ln -s .. up && echo pwned >> up/sibling.txt
