# SPDX-License-Identifier: MIT
# Answers questions about files of a container, in any sh, with what the image may lack left out.
# Each question is a kind and a path; each answer a line "\001KIND WORD PATH" with a body behind it.
# It writes nothing; braces let sh read all of it before anything else may read its input.
{
LC_ALL=C
export LC_ALL
has() { command -v "$1" > /dev/null 2>&1; }
say() { printf '\001%s %s %s\n' "$1" "$2" "$3"; }

look() {
  if [ ! -e "$1" ] && [ ! -L "$1" ]; then
    # Below a folder that may not be searched nobody knows.
    way=$1
    while way=${way%/*} && [ -n "$way" ]; do
      [ -e "$way" ] || continue
      [ -d "$way" ] && [ ! -x "$way" ] && { say look denied "$1"; return; }
      break
    done
    say look absent "$1"
    return
  fi
  has ls || { say look no-ls "$1"; return; }
  say look found "$1"
  ls -lnd "$1" 2> /dev/null
  ls -lndL "$1" 2> /dev/null || echo dangling
  if has readlink; then readlink -f "$1" 2> /dev/null || echo "$1"; else echo "$1"; fi
}

folder() {
  [ -d "$1" ] || { say folder absent "$1"; return; }
  [ -r "$1" ] || { say folder denied "$1"; return; }
  say folder found "$1"
  for name in "$1"/*; do [ -e "$name" ] || [ -L "$name" ] && printf '%s\n' "${name##*/}"; done
}

start_of() { # KIND PATH BYTES
  if [ -d "$2" ]; then say "$1" folder "$2"
  elif [ ! -e "$2" ]; then say "$1" absent "$2"
  elif [ ! -r "$2" ]; then say "$1" denied "$2"
  elif has head; then say "$1" found "$2"; head -c "$3" "$2" 2> /dev/null
  else say "$1" found "$2"; while IFS= read -r line || [ -n "$line" ]; do printf '%s\n' "$line"; done < "$2"
  fi
}

opens() {
  # <> would make a file that is not there.
  [ -e "$1" ] || { say open absent "$1"; return; }
  [ -c "$1" ] || { say open other "$1"; return; }
  say open tried "$1"
  (: <> "$1") 2>&1
}

reads() {
  if [ ! -e "$1" ]; then say reads absent "$1"
  elif [ -r "$1" ]; then say reads found "$1"
  else say reads denied "$1"; fi
}

processes() {
  say processes found -
  for one in /proc/[0-9]*/status; do
    [ "$one" = "/proc/$$/status" ] && continue
    uid='' gid='' groups=''
    while read -r key value; do
      case $key in
        Uid:) uid=$value ;;
        Gid:) gid=$value ;;
        Groups:) groups=$value; break ;;
      esac
    done < "$one"
    [ -n "$uid" ] && printf '%s|%s|%s\n' "$uid" "$gid" "$groups"
  done 2> /dev/null
}

cache() {
  for one in ldconfig /sbin/ldconfig /usr/sbin/ldconfig; do
    has "$one" && { say cache found -; "$one" -p 2> /dev/null; return; }
  done
  say cache absent -
}

packages() {
  if has dpkg-query; then
    say packages dpkg -
    dpkg-query -W -f '${Package}\t${Version}\t${Architecture}\t${db:Status-Status}\n' 2> /dev/null
  elif has rpm; then
    say packages rpm -
    rpm -qa --qf '%{NAME}\t%{VERSION}-%{RELEASE}\t%{ARCH}\tinstalled\n' 2> /dev/null
  elif [ -r /lib/apk/db/installed ]; then
    say packages apk -
    while IFS= read -r line; do
      case $line in
        P:*) name=${line#P:} ;;
        V:*) printf '%s\t%s\t\tinstalled\n' "$name" "${line#V:}" ;;
      esac
    done < /lib/apk/db/installed
  else say packages none -; fi
}

clinfo_says() {
  # Without timeout nobody could end a driver that hangs.
  has clinfo && has timeout || { say clinfo absent -; return; }
  say clinfo found -
  POCL_KERNEL_CACHE=0 timeout -s KILL "$1" clinfo 2>&1
  printf '\n\002%s\n' "$?"
}

while [ $# -ge 2 ]; do
  case $1 in
    look) look "$2" ;;
    folder) folder "$2" ;;
    text) start_of text "$2" 65536 ;;
    bytes) start_of bytes "$2" 4194304 ;;
    open) opens "$2" ;;
    reads) reads "$2" ;;
    processes) processes ;;
    cache) cache ;;
    packages) packages ;;
    clinfo) clinfo_says "$2" ;;
  esac
  printf '\n\001end\n'
  shift 2
done < /dev/null
exit 0
}
