#!/usr/bin/env bash
# Tests discount.sh: arguments, then the price that is right.
failed=0
check() {
  got=$(bash discount.sh "$1" "$2")
  if [ "$got" = "$3" ]; then
    echo "ok    $1 x $2 = $got"
  else
    echo "FAIL  $1 x $2 = $got, should be $3"
    failed=$((failed + 1))
  fi
}
check 100 1 100
check 100 9 900
check 100 10 800
check 250 20 4000
echo "$failed failed"
[ "$failed" -eq 0 ]
