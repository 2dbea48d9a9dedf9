# Lays the overlay, as the first process of own user, mount and process namespaces, and starts `bwrap`. Runs in the staging folder,
# with the project, its identity, the size of the layers, the count of folders to hold, a path and an identity for each, and bwrap's words.
# How far it came is said in `entered` and `started`, and what cannot be done in `refused`: a word for it, and the folder that it is about.
# What the programs say goes to `said`: what is printed is the command's own. Every name below `layers` is on a file system that nobody else can reach.
set -eu
mask=$(umask)
umask 077
: >entered
exec 6>&2 2>said
refuse() { printf '%s %s' "$1" "${2-}" >refused; exit 125; }

# Whoever started this holds the other end of its input for as long as it lives. After that `bwrap` is killed as soon as it is there;
# then this ends, and with the first process of a namespace every other one.
[ $$ -eq 1 ] || refuse process
exec 5<&0 </dev/null
(
    read -r _ <&5 || :
    while :; do
        if read -r id <started; then kill -KILL "$id" || :; fi
        sleep 0.1
    done
) >/dev/null 2>&1 &
exec 5<&-

# Mounts a folder where nobody can exchange it any more, and only then asks whether it is the right one.
hold() { # folder place identity name
    mkdir "$2"
    mount --rbind -- "$1" "$2" || refuse folder "$4"
    [ "$(stat -c %d:%i "$2")" = "$3" ] || refuse exchanged "$4"
}

root=$1 identity=$2 size=$3 folders=$4
shift 4
mount -t tmpfs -o "size=$size,mode=700" exacta layers || refuse mount
# Of these processes and no others: `bwrap` looks up in it, by number, what it starts.
mount -t proc -o nosuid,nodev,noexec exacta /proc || refuse proc
mkdir layers/work layers/merged
hold "$root" layers/lower "$identity" "$root"
while [ "$folders" -gt 0 ]; do
    hold "layers/lower/$1" "layers/held-$folders" "$2" "$1"
    folders=$((folders - 1))
    shift 2
done

# The change is the upper layer: nothing is ever written by a path that leads through the project.
cp -R written layers/upper || refuse change
xargs -0 -r sh -c 'set -e; for path do mknod "layers/upper/$path" c 0 0; done' sh <deleted || refuse change
xargs -0 -r -n 1000 sh -c 'set -e; while [ $# -gt 0 ]; do chmod "$1" "layers/upper/$2"; shift 2; done' sh <modes \
    || refuse change
options=lowerdir=layers/lower,upperdir=layers/upper,workdir=layers/work
mount -t overlay -o "$options,userxattr" exacta layers/merged 2>/dev/null \
    || mount -t overlay -o "$options" exacta layers/merged || refuse overlay

umask "$mask"
sh -c 'echo $$ >started; exec bwrap "$@"' sh "$@" 2>&6 3<filter 4>began 6>&- || exit $?
exit 0
