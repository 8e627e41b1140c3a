# is_genuine FILE HEADER SECRET [NOW]: FILE holds the body as it came, HEADER is the value of Service-Signature.
is_genuine() {
  t=$(printf '%s' "$2" | tr ',' '\n' | sed -n 's/^ *t=//p' | head -n 1)
  case $t in '' | *[!0-9]*) return 1 ;; esac
  age=$((${4:-$(date +%s)} - t))
  [ "${age#-}" -le 300 ] || return 1
  wanted=$({ printf '%s.' "$t"; cat "$1"; } | openssl dgst -sha256 -hmac "$3" | sed 's/^.*= *//')
  # For a day after a rotation there are two v1: any of them may match.
  printf '%s' "$2" | tr ',' '\n' | sed -n 's/^ *v1=//p' | grep -qxF -- "$wanted"
}
