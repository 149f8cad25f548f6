// The least that a static program can take: what `cold` is measured against.
int main() {
  return 0;
}
